/** What a supervisor could not handle: its standard output and error. */
import { openSync, renameSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'

const maxBytes = 1_000_000
const getLogPath = (folder: string) => join(folder, 'supervisor.log')
const isLong = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxBytes

/** For a supervisor that begins; the file of earlier ones goes aside when it is long. */
export function openSupervisorLog(folder: string): number {
  const path = getLogPath(folder)
  if (isLong(path)) renameSync(path, `${path}.old`)
  return openSync(path, 'a', 0o600)
}

/** One that runs for months repeats itself. */
export function boundSupervisorLog(folder: string): void {
  if (isLong(getLogPath(folder))) truncateSync(getLogPath(folder))
}
