/** Small files that are whole or not there, however the process ends: each is what it was, or what it was to become. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** On the disk when it returns. One writer at a time for a path. */
export function writeFileAtomically(path: string, text: string): void {
  const draft = `${path}.part`
  const file = openSync(draft, 'w', 0o600)
  try {
    // Not writeSync: on a nearly full disk it may write only a part, and return without an error.
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(draft, path)
  syncFolder(dirname(path))
}

/** So that a name that was given or taken is not lost with the power. */
export function syncFolder(path: string): void {
  // Windows opens no folder, and needs none of this.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Null: it is not there, or holds what was never written by us. */
export function readJsonFile<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
