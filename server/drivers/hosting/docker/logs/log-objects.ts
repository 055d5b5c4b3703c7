/**
 * Objects of the file store with the log of a service: gzip of a header line and of lines as JSON. An object with one number was written by
 * one collection. A block replaces all objects whose numbers are in its range, and its name contains the times of its lines.
 */
import { constants, createGunzip, createGzip, type Gunzip } from 'node:zlib'
import { pipeline, Readable } from 'node:stream'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { HostingError, type InstanceLogLine, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { type DayUsage, emptyUsage } from '#server/drivers/hosting/docker/logs/day-usage.ts'
import type { TaskPosition } from '#server/drivers/hosting/docker/logs/log-position.ts'

export type LogFiles = Pick<FileStore, 'put' | 'get' | 'list' | 'remove'>

/** State of the log after the lines of an object. The object with the highest number has the current state. */
export interface LogState {
  /** Number of the object. 0 if there is none. */
  sequence: number
  /** By task id. */
  positions: Readonly<Record<string, TaskPosition>>
  usage: DayUsage
  /** Ids of the last entries of the portal that were stored, so that an entry is not stored again after a lost response. */
  entryIds: readonly string[]
}

export const emptyState: LogState = { sequence: 0, positions: {}, usage: emptyUsage, entryIds: [] }

interface ObjectHeader extends LogState {
  version: 1
}

export interface LogObject {
  key: string
  first: number
  last: number
  /** Times of the lines in epoch ms, both inclusive. Null if the object is not a block. */
  times: { from: number; to: number } | null
  bytes: number
  modifiedAt: number
}

export const logRoot = 'service-logs/'
const extension = '.ndjson.gz'
const keyPattern = /^(service-logs\/[^/]+\/)(\d{10})(?:-(\d{10})\.(\d{1,15})\.(\d{1,15}))?\.ndjson\.gz$/

export const getLogFolder = ({ serviceId, code }: InstanceRef): string => `${logRoot}${serviceId}-${code}/`

const formatSequence = (sequence: number) => String(sequence).padStart(10, '0')
export const getObjectKey = (folder: string, sequence: number): string =>
  `${folder}${formatSequence(sequence)}${extension}`
export const getBlockKey = (
  folder: string,
  { first, last, from, to }: { first: number; last: number; from: number; to: number },
): string => `${folder}${formatSequence(first)}-${formatSequence(last)}.${from}.${to}${extension}`

/** Returns null for a file that is not part of a log. */
export function parseLogObject({
  key,
  bytes,
  modifiedAt,
}: {
  key: string
  bytes: number
  modifiedAt: number
}): { folder: string; object: LogObject } | null {
  const [, folder, first, last, from, to] = keyPattern.exec(key) ?? []
  if (folder === undefined || first === undefined) return null
  const times = from === undefined || to === undefined ? null : { from: Number(from), to: Number(to) }
  const object = { key, first: Number(first), last: Number(last ?? first), times, bytes, modifiedAt }
  return { folder, object }
}

/** Lists the objects of a log, sorted by their numbers. */
export async function listLogObjects(files: LogFiles, folder: string): Promise<LogObject[]> {
  const objects: LogObject[] = []
  for await (const stored of files.list(folder)) {
    const parsed = parseLogObject(stored)
    if (parsed) objects.push(parsed.object)
  }
  return objects
}

/** Removes objects that a block replaces. Of blocks with the same range, which two nodes may write, the first is used. */
export function removeReplacedObjects(objects: readonly LogObject[]): LogObject[] {
  const sorted = objects.toSorted((a, b) => a.first - b.first || b.last - a.last || (a.key < b.key ? -1 : 1))
  const remaining: LogObject[] = []
  let end = 0
  for (const object of sorted) {
    if (object.last <= end) continue
    remaining.push(object)
    end = object.last
  }
  return remaining
}

/** Encodes an object as a stream of compressed bytes. The lines must be ordered by time. */
export function encodeLogObject(
  state: LogState,
  lines: AsyncIterable<InstanceLogLine> | Iterable<InstanceLogLine>,
): AsyncIterable<Uint8Array> {
  const header: ObjectHeader = { version: 1, ...state }
  async function* formatLines() {
    yield `${JSON.stringify(header)}\n`
    for await (const { time, task, level, text } of lines) yield `${JSON.stringify([time, task, level, text])}\n`
  }
  return pipeline(Readable.from(formatLines()), createGzip({ level: constants.Z_DEFAULT_COMPRESSION }), ignoreError)
}

/** The error is also thrown to the reader of the stream. */
const ignoreError = () => undefined

/** Loads the compressed bytes of a small object, so that it can be read several times. */
export async function loadObject(files: LogFiles, key: string): Promise<() => AsyncIterable<Uint8Array>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.get(key)) chunks.push(chunk)
  return async function* () {
    yield* chunks
  }
}

export interface DecodedObject {
  state: LogState
  lines: AsyncGenerator<InstanceLogLine>
}

/** Throws StoreErrors of `bytes` unchanged, and `unreachable` for an object that is damaged. The caller reads the lines or returns them. */
export async function decodeLogObject(key: string, bytes: AsyncIterable<Uint8Array>): Promise<DecodedObject> {
  const texts = readTextLines(key, bytes)
  const first = await texts.next()
  const state = first.done ? null : parseHeader(first.value)
  if (state === null) {
    await texts.return(undefined)
    throw createDamageError(key)
  }
  return { state, lines: parseLines(key, texts) }
}

async function* parseLines(key: string, texts: AsyncGenerator<string>): AsyncGenerator<InstanceLogLine> {
  for await (const text of texts) {
    const line = parseLine(text)
    if (line === null) throw createDamageError(key)
    yield line
  }
}

async function* readTextLines(key: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  try {
    const stream: Gunzip = pipeline(Readable.from(bytes, { objectMode: false }), createGunzip(), ignoreError)
    stream.setEncoding('utf8')
    for await (const chunk of stream as AsyncIterable<string>) {
      const pieces = (rest + chunk).split('\n')
      rest = pieces.pop() ?? ''
      yield* pieces
    }
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw createDamageError(key, error)
  }
  if (rest !== '') throw createDamageError(key)
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function parseHeader(text: string): LogState | null {
  const header = parseJson(text)
  if (!isRecord(header) || header['version'] !== 1 || !isRecord(header['positions']) || !isRecord(header['usage']))
    return null
  const { version: _, ...state } = header as unknown as ObjectHeader
  return state
}

function parseLine(text: string): InstanceLogLine | null {
  const values = parseJson(text)
  if (!Array.isArray(values)) return null
  const [time, task, level, lineText] = values as unknown[]
  const isValid = typeof time === 'number' && typeof task === 'number' && typeof lineText === 'string'
  if (!isValid || (level !== 'info' && level !== 'warn' && level !== 'error')) return null
  return { time, task, level, text: lineText }
}

const createDamageError = (key: string, cause?: unknown) =>
  new HostingError('unreachable', `The stored part ${key} of the log is damaged.`, { cause })
