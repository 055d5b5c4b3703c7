/**
 * A form with files, as its parts (U-14). @fastify/multipart reads it as it comes and bounds its parts; the size of the whole is
 * bounded here, because that also counts what stands between and behind the parts.
 */
import { createHash } from 'node:crypto'
import fastifyMultipart, { type MultipartValue } from '@fastify/multipart'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { imageBytes } from '#domain/images.ts'
import { malformed } from '#server/http/input/json.ts'
import { ProblemError } from '#server/problem-error.ts'

/** A class, so that it can be told from a value that somebody sent. */
export class ReceivedFile {
  readonly name: string
  readonly bytes: Uint8Array
  constructor(name: string, bytes: Uint8Array) {
    this.name = name
    this.bytes = bytes
  }
}

export type ReceivedPart = [name: string, value: string | ReceivedFile]

/** What stands around a file: its boundary, its name, a few fields. */
const aroundBytes = 16 * 1024
/** The largest form that is read at all. */
export const formBytes = imageBytes + aroundBytes
const maxParts = 20

const limits = {
  fileSize: imageBytes,
  fieldSize: aroundBytes,
  parts: maxParts,
  files: maxParts,
  fields: maxParts,
  headerPairs: 20,
}

/** Forms are understood on the routes of `app` alone: everywhere else they stay bytes of a type that nobody takes. */
export function takeForms(app: FastifyInstance): void {
  // What has a file's name is a file, whatever type it says it is of.
  app.register(fastifyMultipart, { limits, isPartAFile: (_name, _type, file) => file !== undefined })
}

/**
 * Throws UNSUPPORTED_TYPE for anything but a form with parts, TOO_LARGE for one over `formBytes` or with a file over
 * `imageBytes`, VALIDATION_ERROR for one that is cut off, has too many parts or is none.
 */
export async function readParts(request: FastifyRequest, reply: FastifyReply): Promise<ReceivedPart[]> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers
  if (!request.isMultipart() || !/^multipart\/form-data;/i.test(type)) throw new ProblemError('UNSUPPORTED_TYPE')
  const { raw } = request
  try {
    if (Number(length) > formBytes) throw new ProblemError('TOO_LARGE')
    return await Promise.race([collect(request), tooManyBytes(request)])
  } catch (error) {
    // Nobody reads the rest, so the connection cannot carry another request.
    if (!raw.readableEnded) reply.header('connection', 'close')
    raw.unpipe()
    raw.resume()
    throw toProblem(error)
  }
}

async function collect(request: FastifyRequest): Promise<ReceivedPart[]> {
  const parts: ReceivedPart[] = []
  for await (const part of request.parts()) {
    const name: unknown = part.fieldname
    if (typeof name !== 'string') throw malformed('')
    parts.push([name, part.type === 'file' ? new ReceivedFile(part.filename, await part.toBuffer()) : textOf(part)])
  }
  // An end without a beginning is a form without parts; no bytes at all are no form.
  if (parts.length === 0 && !request.raw.readableDidRead) throw malformed('')
  return parts
}

/** Browsers never say that a field is JSON, and @fastify/multipart has parsed it then. */
function textOf({ fieldname, value, valueTruncated }: MultipartValue): string {
  if (valueTruncated) throw new ProblemError('TOO_LARGE')
  if (typeof value !== 'string') throw malformed(fieldname.slice(0, 100))
  return value
}

/** Never resolves; rejects once more has come than a form may have. */
const tooManyBytes = ({ raw }: FastifyRequest) =>
  new Promise<never>((_, reject) => {
    let bytes = 0
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > formBytes) reject(new ProblemError('TOO_LARGE'))
    })
  })

/** All that the reader itself complains of follows from the bytes that were sent. */
function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  const isTooLarge = (error as { code?: unknown }).code === 'FST_REQ_FILE_TOO_LARGE'
  return isTooLarge ? new ProblemError('TOO_LARGE') : malformed('')
}

/** What a file is by its bytes. */
export const digest = ({ name, bytes }: ReceivedFile) => ({
  name,
  sha256: createHash('sha256').update(bytes).digest('base64url'),
})
