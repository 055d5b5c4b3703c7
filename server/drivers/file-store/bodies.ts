import { createHash } from 'node:crypto'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'

/** Returns a body for `put`. */
export async function* toBody(data: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof data === 'string' ? Buffer.from(data) : data
}

/** Reads a small object into memory. Throws `missing`. */
export async function readObject(files: FileStore, key: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.get(key)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Returns the SHA-256 of a body, in hex. */
export async function hashBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of body) hash.update(chunk)
  return hash.digest('hex')
}
