/**
 * A form with files, as its parts (U-14). Its size is bounded before anything is read of it, and the reading itself is
 * Node's own, which follows the standard to the letter.
 */
import { createHash } from 'node:crypto'
import { imageBytes } from '#domain/images.ts'
import { malformed } from '#server/http/json.ts'
import { ProblemError } from '#server/problem.ts'

/** A class, so that it can be told from a value that somebody sent. */
export class ReceivedFile {
  readonly name: string
  readonly bytes: Uint8Array
  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }
}

/** What stands around a file: its boundary, its name, a few fields. */
const aroundBytes = 16 * 1024
/** The largest form that is read at all. */
export const formBytes = imageBytes + aroundBytes
const mostParts = 20

/** Throws UNSUPPORTED_TYPE for anything but a form with parts, VALIDATION_ERROR for one that is none. */
export async function readParts(
  contentType: string | undefined,
  bytes: Buffer | null,
): Promise<[string, string | ReceivedFile][]> {
  if (!/^multipart\/form-data;/i.test(contentType ?? '')) throw new ProblemError('UNSUPPORTED_TYPE')
  if (bytes === null || bytes.length === 0 || countParts(bytes) > mostParts) throw malformed('')
  const headers = { 'content-type': contentType ?? '' }
  // The types of Node's own Response know no Buffer over shared memory, which a body never is.
  const form = await new Response(bytes as Uint8Array<ArrayBuffer>, { headers }).formData().catch(() => null)
  if (!form) throw malformed('')
  return Promise.all([...form].map(async ([name, part]) => [name, await received(part)] as const)) as Promise<
    [string, string | ReceivedFile][]
  >
}

const received = async (part: string | File) =>
  typeof part === 'string' ? part : new ReceivedFile(part.name, new Uint8Array(await part.arrayBuffer()))

/** Before any part becomes an object: each has this one header. A file that speaks of it so often is no picture. */
function countParts(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(disposition); at >= 0 && count <= mostParts; at = bytes.indexOf(disposition, at + 1))
    count++
  return count
}
const disposition = Buffer.from('form-data;')

/** What a file is by its bytes. */
export const digest = ({ name, bytes }: ReceivedFile) => ({
  name,
  sha256: createHash('sha256').update(bytes).digest('base64url'),
})
