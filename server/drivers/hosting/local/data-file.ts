/** What reading and building an instance's data have in common: names in statements, and what an error of SQLite means. */
import { HostingError } from '#server/drivers/hosting/driver.ts'

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Of SQLite, as the lower byte of its codes. */
const codes = { busy: 5, locked: 6, full: 13, cannotOpen: 14 }

const codeOf = (error: unknown): number | null => {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : null
}

export const isFileGone = (error: unknown): boolean => codeOf(error) === codes.cannotOpen

/** Whatever it is, as the port says it. */
export function faultOfData(error: unknown): HostingError {
  if (error instanceof HostingError) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  const isFull = ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
  if (isFull || code === codes.full) return new HostingError('no_room', 'the disk is full', { cause: error })
  if (code === codes.busy || code === codes.locked || code === codes.cannotOpen)
    return new HostingError('unreachable', message, { cause: error })
  return new HostingError('bad_data', message, { cause: error })
}
