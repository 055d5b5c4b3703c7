/** Writes small files atomically: after a crash each file has its old or its new content. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The file is durable when this returns. The caller must prevent two writers of one `draft` at the same time. */
export function writeFileAtomically(path: string, text: string, draft = `${path}.part`): void {
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

/** Makes created, renamed and removed names durable. */
export function syncFolder(path: string): void {
  // Windows cannot open a folder, and does not need this.
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Returns null if the file is missing or not valid JSON. */
export function readJsonFile<T>(path: string): T | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
