import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { syncFolder } from '#server/drivers/hosting/local/atomic-file.ts'

export const temporaryPrefix = '.part-'

/** Writes a file atomically. Several processes may write the same path: the last one wins. The file is durable when this returns. */
export function writeDurably(path: string, text: string): void {
  const draft = join(dirname(path), `${temporaryPrefix}${randomBytes(8).toString('hex')}`)
  try {
    const file = openSync(draft, 'wx', 0o600)
    try {
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(dirname(path))
}
