/**
 * Reads multipart forms. @fastify/multipart limits each part; the total is limited here, because it includes bytes between parts (U-14).
 */
import { createHash } from 'node:crypto'
import fastifyMultipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maxImageBytes } from '#domain/images.ts'
import { countPieces } from '#server/http/input/piece-count.ts'
import { StoredFile, storeFile } from '#server/http/input/stored-parts.ts'
import { createMalformedProblem } from '#server/http/input/json.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** A file in memory. It is a class, so that received values cannot imitate it. */
export class ReceivedFile {
  readonly name: string
  readonly bytes: Uint8Array
  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }
}

export type ReceivedPart = [name: string, value: string | ReceivedFile | StoredFile]

/** Maximum bytes of a form in addition to its file: boundary, headers and a few fields. */
const overheadBytes = 16 * 1024
export const maxFormBytes = maxImageBytes + overheadBytes
const maxParts = 20

const limits = {
  fileSize: maxImageBytes,
  fieldSize: overheadBytes,
  parts: maxParts,
  files: maxParts,
  fields: maxParts,
  headerPairs: 20,
}

/** Requires a boundary of 1 to 70 characters (RFC 2046, 5.1.1). With an empty boundary every text line would begin a part. */
const boundaryPattern = /;\s*boundary=(?:"[^"]{1,70}"|[^\s;"]{1,70})\s*(?:;|$)/i

/** Parses multipart forms only on the routes of `app`. Elsewhere their type is refused. */
export function registerForms(app: FastifyInstance): void {
  // A part with a file name is a file, regardless of its declared type.
  app.register(fastifyMultipart, { limits, isPartAFile: (_name, _type, file) => file !== undefined })
}

export interface PartStore {
  folder: string
  fileBytes: number
}

/**
 * Reads the parts of a form. With a store, files are written to it with its own limit, and the caller must discard them; if this function
 * throws, no file is left. Throws
 * - UNSUPPORTED_TYPE if the body is not a multipart form,
 * - TOO_LARGE if the form or a file exceeds its limit,
 * - VALIDATION_ERROR if the form is incomplete or has too many parts.
 */
export async function readParts(
  request: FastifyRequest,
  reply: FastifyReply,
  store: PartStore | null = null,
): Promise<ReceivedPart[]> {
  const maxBytes = store ? store.fileBytes + overheadBytes : maxFormBytes
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers
  if (!request.isMultipart() || !/^multipart\/form-data;/i.test(type)) throw new ProblemError('UNSUPPORTED_TYPE')
  const { raw } = request
  try {
    if (Number(length) > maxBytes) throw new ProblemError('TOO_LARGE')
    if (!boundaryPattern.test(type)) throw createMalformedProblem('')
    return await Promise.race([collectParts(request, store), rejectTooManyBytes(request, maxBytes)])
  } catch (error) {
    // The rest of the body is not read, so the connection cannot be used for another request.
    if (!raw.readableEnded) reply.header('connection', 'close')
    raw.unpipe()
    raw.resume()
    throw toProblem(error)
  }
}

async function collectParts(request: FastifyRequest, store: PartStore | null): Promise<ReceivedPart[]> {
  const parts: ReceivedPart[] = []
  // A stored form has only one file, because a second one would need space for two.
  const formOptions = store ? { limits: { ...limits, fileSize: store.fileBytes, files: 1 } } : {}
  try {
    for await (const part of request.parts(formOptions)) {
      const name: unknown = part.fieldname
      if (typeof name !== 'string') throw createMalformedProblem('')
      parts.push([name, part.type === 'file' ? await receiveFile(part, store) : readText(part)])
    }
  } catch (error) {
    await discardParts(parts)
    throw error
  }
  // A form that only has its end marker is valid and has no parts. A body without any bytes is not a form.
  if (parts.length === 0 && !request.raw.readableDidRead) throw createMalformedProblem('')
  return parts
}

const receiveFile = async (part: MultipartFile, store: PartStore | null) =>
  store ? storeFile(part, store.folder) : new ReceivedFile(part.filename, await part.toBuffer())

/** Deletes stored files unless they were marked to be kept. */
export async function discardParts(parts: readonly ReceivedPart[]): Promise<void> {
  for (const [, part] of parts) if (part instanceof StoredFile) await part.discard()
}

/** A value is not a string if its part declares JSON, which @fastify/multipart parses. Browsers never send that. */
function readText({ fieldname, value, valueTruncated }: MultipartValue): string {
  if (valueTruncated) throw new ProblemError('TOO_LARGE')
  if (typeof value !== 'string') throw createMalformedProblem(fieldname.slice(0, 100))
  return value
}

/** Returns a promise that never resolves. It rejects if the form is too large, or is received in too many small pieces. */
const rejectTooManyBytes = ({ raw }: FastifyRequest, maxBytes: number) =>
  new Promise<never>((_, reject) => {
    countPieces(raw, reject)
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) reject(new ProblemError('TOO_LARGE'))
    })
  })

/** Converts an error to a problem. All errors of the multipart parser are caused by the received bytes. */
function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const isTooLarge = (error as { code?: unknown }).code === 'FST_REQ_FILE_TOO_LARGE'
  return isTooLarge ? new ProblemError('TOO_LARGE') : createMalformedProblem('')
}

export const digestFile = (file: ReceivedFile | StoredFile) => ({
  name: file.name,
  sha256: file instanceof StoredFile ? file.sha256 : createHash('sha256').update(file.bytes).digest('base64url'),
})
