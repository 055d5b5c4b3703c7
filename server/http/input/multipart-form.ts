/**
 * A form with files, as its parts (U-14). @fastify/multipart reads it as it comes and bounds its parts; the size of the whole is
 * bounded here, because that also counts what stands between and behind the parts.
 */
import { createHash } from 'node:crypto'
import fastifyMultipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maxImageBytes } from '#domain/images.ts'
import { countPieces } from '#server/http/input/piece-count.ts'
import { StoredFile, storeFile } from '#server/http/input/stored-parts.ts'
import { createMalformedProblem } from '#server/http/input/json.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/** A class, so that it can be told from a value that somebody sent. */
export class ReceivedFile {
  readonly name: string
  readonly bytes: Uint8Array
  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }
}

export type ReceivedPart = [name: string, value: string | ReceivedFile | StoredFile]

/** What stands around a file: its boundary, its name, a few fields. */
const overheadBytes = 16 * 1024
/** The largest form that is read at all. */
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

/** Of one to 70 characters (RFC 2046, 5.1.1); without one, each line of the body begins a part. */
const boundaryPattern = /;\s*boundary=(?:"[^"]{1,70}"|[^\s;"]{1,70})\s*(?:;|$)/i

/** Forms are understood on the routes of `app` alone: everywhere else they stay bytes of a type that nobody takes. */
export function registerForms(app: FastifyInstance): void {
  // What has a file's name is a file, whatever type it says it is of.
  app.register(fastifyMultipart, { limits, isPartAFile: (_name, _type, file) => file !== undefined })
}

/** Where files go that are too large to be held in memory, and how large they may be. */
export interface PartStore {
  folder: string
  fileBytes: number
}

/**
 * Throws UNSUPPORTED_TYPE for anything but a form with parts, TOO_LARGE for one over `maxFormBytes` or with a file over
 * `maxImageBytes`, VALIDATION_ERROR for one that is cut off, has too many parts or is none. With a store its files are there
 * (StoredFile) and of its size; whoever takes them discards them, and where this throws none is left.
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
    // Nobody reads the rest, so the connection cannot carry another request.
    if (!raw.readableEnded) reply.header('connection', 'close')
    raw.unpipe()
    raw.resume()
    throw toProblem(error)
  }
}

async function collectParts(request: FastifyRequest, store: PartStore | null): Promise<ReceivedPart[]> {
  const parts: ReceivedPart[] = []
  // A form to be stored has one file: two would take the place of two.
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
  // An end without a beginning is a form without parts; no bytes at all are no form.
  if (parts.length === 0 && !request.raw.readableDidRead) throw createMalformedProblem('')
  return parts
}

const receiveFile = async (part: MultipartFile, store: PartStore | null) =>
  store ? storeFile(part, store.folder) : new ReceivedFile(part.filename, await part.toBuffer())

/** Takes stored files away that nobody kept. */
export async function discardParts(parts: readonly ReceivedPart[]): Promise<void> {
  for (const [, part] of parts) if (part instanceof StoredFile) await part.discard()
}

/** Browsers never say that a field is JSON, and @fastify/multipart has parsed it then. */
function readText({ fieldname, value, valueTruncated }: MultipartValue): string {
  if (valueTruncated) throw new ProblemError('TOO_LARGE')
  if (typeof value !== 'string') throw createMalformedProblem(fieldname.slice(0, 100))
  return value
}

/** Never resolves; rejects once more has come than a form may have, or in too many pieces. */
const rejectTooManyBytes = ({ raw }: FastifyRequest, maxBytes: number) =>
  new Promise<never>((_, reject) => {
    countPieces(raw, reject)
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) reject(new ProblemError('TOO_LARGE'))
    })
  })

/** All that the reader itself complains of follows from the bytes that were sent. */
function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const isTooLarge = (error as { code?: unknown }).code === 'FST_REQ_FILE_TOO_LARGE'
  return isTooLarge ? new ProblemError('TOO_LARGE') : createMalformedProblem('')
}

/** What a file is by its bytes. */
export const digestFile = (file: ReceivedFile | StoredFile) => ({
  name: file.name,
  sha256: file instanceof StoredFile ? file.sha256 : createHash('sha256').update(file.bytes).digest('base64url'),
})
