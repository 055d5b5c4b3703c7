import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { isDiskFull } from '#server/problems/is-disk-full.ts'

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** SQLite's error codes, of which only the lower byte is compared. */
const sqliteCodes = { busy: 5, locked: 6, full: 13, cannotOpen: 14 }

const getSqliteCode = (error: unknown): number | null => {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' ? errcode & 0xff : null
}

export const isFileMissing = (error: unknown): boolean => getSqliteCode(error) === sqliteCodes.cannotOpen

export function toHostingError(error: unknown): HostingError {
  if (error instanceof HostingError) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = getSqliteCode(error)
  if (isDiskFull(error) || code === sqliteCodes.full)
    return new HostingError('no_room', 'the disk is full', { cause: error })
  if (code === sqliteCodes.busy || code === sqliteCodes.locked || code === sqliteCodes.cannotOpen)
    return new HostingError('unreachable', message, { cause: error })
  return new HostingError('bad_data', message, { cause: error })
}
