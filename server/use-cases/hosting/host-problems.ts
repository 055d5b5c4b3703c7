import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { createNotFoundProblem, createUnavailableProblem } from '#server/problems/problem-error.ts'

/** Yields the items of `source`. Throws UNAVAILABLE if the host does not respond. Yields no items if the host does not know the service. */
export async function* mapHostErrors<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    if (error.fault === 'no_instance') return
    const isTemporary = error.fault === 'unreachable' || error.fault === 'throttled'
    throw isTemporary ? createUnavailableProblem(10) : createNotFoundProblem()
  }
}
