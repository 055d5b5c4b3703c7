/** If-Match against the row as it is now (protocol 9), and the 412 that shows it. */
import type { Context } from '#server/house.ts'
import { ProblemError } from '#server/problem.ts'

/** `current`: the row as an answer shows it, made only where it is shown. Without If-Match there is nothing to compare. */
export function requireVersion({ ifMatch }: Context, rowVersion: number, current: () => unknown): void {
  if (ifMatch === null || ifMatch === rowVersion) return
  throw new ProblemError('VERSION_CONFLICT', { current: current() })
}
