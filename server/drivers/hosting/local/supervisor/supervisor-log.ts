/** Opens and limits the file for standard output and error of the supervisor, with errors that it could not handle. */
import { openSync, renameSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'

const maxBytes = 1_000_000
const getLogPath = (folder: string) => join(folder, 'supervisor.log')
const isLong = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes

/** Opens the log for a new supervisor. A long log of earlier supervisors is renamed first. */
export function openSupervisorLog(folder: string): number {
  const path = getLogPath(folder)
  if (isLong(path)) renameSync(path, `${path}.old`)
  return openSync(path, 'a', 0o600)
}

/** Truncates a long log. A supervisor that runs for months may repeat the same error. */
export function boundSupervisorLog(folder: string): void {
  if (isLong(getLogPath(folder))) truncateSync(getLogPath(folder))
}
