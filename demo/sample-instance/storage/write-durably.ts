import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeFileAtomically } from '#server/drivers/hosting/atomic-file.ts'

export const temporaryPrefix = '.part-'

/** Writes a file atomically. Several processes may write the same path: the last one wins. The file is durable when this returns. */
export function writeDurably(path: string, text: string): void {
  const draft = join(dirname(path), `${temporaryPrefix}${randomBytes(8).toString('hex')}`)
  try {
    writeFileAtomically(path, text, draft)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
