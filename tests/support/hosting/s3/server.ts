/**
 * A bucket that speaks S3 over HTTP: objects, uploads in parts, ranges, lists in pages, signatures and checksums. It can be told to
 * fail as real ones do. Written from Amazon's description, so that the SDK is tested against something else than itself.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { BucketSettings } from '#server/drivers/backup-store/s3/store.ts'
import { type Body, decoded, fitsChecksums } from '#tests/support/hosting/s3/body.ts'
import { BucketContent, type BucketObject, Refusal } from '#tests/support/hosting/s3/objects.ts'
import { type AccessKey, bodyRefusal, header, refusalOf } from '#tests/support/hosting/s3/signature.ts'

export type Operation =
  | 'AbortMultipartUpload'
  | 'CompleteMultipartUpload'
  | 'CreateMultipartUpload'
  | 'DeleteObject'
  | 'GetObject'
  | 'HeadObject'
  | 'ListMultipartUploads'
  | 'ListObjectsV2'
  | 'PutObject'
  | 'UploadPart'

export type Effect =
  /** 503 SlowDown after the body was taken. */
  | 'busy'
  /** The line is cut in the middle of what goes over it. */
  | 'cut'
  /** It is done, and the answer is lost. */
  | 'lose'
  /** One bit of what goes over the line is another. */
  | 'flip'
  /** No room for it. */
  | 'full'
  | 'denied'
  | 'slow'

export interface S3Server {
  url: string
  content: BucketContent
  /** In the order in which they came. */
  calls: Operation[]
  /** Payload that came and went. */
  moved: { in: number; out: number }
  /** The next calls of that operation; `times` Infinity: all. */
  disturb(operation: Operation, effect: Effect, times?: number): void
  /** What the driver is opened with. */
  settings(more?: Partial<BucketSettings>): BucketSettings
  close(): Promise<void>
}

const accessKey: AccessKey = { accessKeyId: 'AKTEST', secretAccessKey: 'secret/of+tests' }
const bucket = 'backups'
const slowMs = 300

export async function startS3({ pageSize = 1000 } = {}): Promise<S3Server> {
  const content = new BucketContent()
  const calls: Operation[] = []
  const moved = { in: 0, out: 0 }
  const effects = new Map<Operation, { effect: Effect; times: number }>()
  const take = (operation: Operation): Effect | null => {
    const next = effects.get(operation)
    if (!next || next.times <= 0) return null
    next.times--
    return next.effect
  }
  const server = createServer((request, response) => {
    const call = callOf(request)
    calls.push(call.operation)
    const exchange: Exchange = { request, response, call, content, moved, pageSize, effect: take(call.operation) }
    answer(exchange).catch((error: unknown) => {
      if (error instanceof Refusal) return refuse(exchange, error)
      response.destroy(error as Error)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    content,
    calls,
    moved,
    disturb: (operation, effect, times = 1) => effects.set(operation, { effect, times }),
    settings: (more) => ({
      bucket,
      endpoint: url,
      region: 'eu-test-1',
      pathStyle: true,
      credentials: accessKey,
      ...more,
    }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface Call {
  operation: Operation
  bucket: string
  key: string
  query: URLSearchParams
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  call: Call
  content: BucketContent
  moved: { in: number; out: number }
  pageSize: number
  effect: Effect | null
}

function callOf(request: IncomingMessage): Call {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://bucket')
  const [, name = '', key = ''] = /^\/([^/]*)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? []
  return { operation: operationOf(request.method ?? '', key, query), bucket: name, key, query }
}

function operationOf(method: string, key: string, query: URLSearchParams): Operation {
  if (key === '') return query.has('uploads') ? 'ListMultipartUploads' : 'ListObjectsV2'
  if (method === 'GET') return 'GetObject'
  if (method === 'HEAD') return 'HeadObject'
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
  if (method === 'POST') return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload'
  return query.has('uploadId') ? 'UploadPart' : 'PutObject'
}

async function answer(exchange: Exchange): Promise<void> {
  const { request, response, call, effect } = exchange
  const raw = await bodyOf(exchange)
  if (raw === null) return
  const refusal = refusalOf(request, accessKey) ?? bodyRefusal(request, raw)
  if (refusal !== null) throw new Refusal(refusal, refusal.startsWith('XAmz') ? 400 : 403)
  if (call.bucket !== bucket) throw new Refusal('NoSuchBucket', 404)
  if (effect === 'busy') throw new Refusal('SlowDown', 503)
  if (effect === 'denied') throw new Refusal('AccessDenied', 403)
  if (effect === 'full') throw new Refusal('QuotaExceeded', 400)
  if (effect === 'slow') await wait(slowMs)
  const body = decoded(request, raw)
  if (body === null) throw new Refusal('IncompleteBody', 400)
  if (effect === 'lose') {
    const silent = Object.create(response) as ServerResponse
    Object.assign(silent, { writeHead: () => silent, end: () => silent, write: () => true })
    await operations[call.operation]({ ...exchange, response: silent }, body)
    response.destroy()
    return
  }
  await operations[call.operation](exchange, body)
}

/** Null: the line was cut. */
async function bodyOf({ request, call, effect, moved }: Exchange): Promise<Buffer | null> {
  const parts: Buffer[] = []
  let length = 0
  const isPayload = call.operation === 'PutObject' || call.operation === 'UploadPart'
  for await (const part of request as AsyncIterable<Buffer>) {
    parts.push(part)
    length += part.length
    if (isPayload) moved.in += part.length
    if (isPayload && effect === 'cut' && length * 2 >= Number(request.headers['content-length'])) {
      request.destroy()
      return null
    }
  }
  const body = Buffer.concat(parts)
  if (isPayload && effect === 'flip' && body.length > 0) flip(body)
  return body
}

export function flip(data: Buffer): void {
  const at = Math.floor(data.length / 2)
  data.writeUInt8(data.readUInt8(at) ^ 1, at)
}

const operations: Record<Operation, (exchange: Exchange, body: Body) => void | Promise<void>> = {
  PutObject({ request, response, content, call }, body) {
    if (!fitsChecksums(body)) throw new Refusal('BadDigest', 400)
    const [match, noneMatch] = [header(request, 'if-match'), header(request, 'if-none-match')]
    const current = content.objects.get(call.key)
    if (match !== '' && !current) throw new Refusal('NoSuchKey', 404)
    if ((match !== '' && match !== current?.etag) || (noneMatch === '*' && current))
      throw new Refusal('PreconditionFailed', 412)
    const { etag, checksum } = content.put(call.key, body.data)
    response.writeHead(200, { etag, 'x-amz-checksum-crc32': checksum, 'x-amz-checksum-type': 'FULL_OBJECT' }).end()
  },
  UploadPart({ response, content, call: { query } }, body) {
    const id = query.get('uploadId') ?? ''
    content.upload(id)
    if (!fitsChecksums(body)) throw new Refusal('BadDigest', 400)
    const { etag, checksum } = content.putPart(id, Number(query.get('partNumber')), body.data)
    response.writeHead(200, { etag, 'x-amz-checksum-crc32': checksum }).end()
  },
  CreateMultipartUpload({ request, response, content, call }) {
    if (header(request, 'x-amz-checksum-type') !== 'FULL_OBJECT') throw new Refusal('InvalidRequest', 400)
    const id = content.begin(call.key)
    sendXml(response, 'InitiateMultipartUploadResult', { Bucket: bucket, Key: call.key, UploadId: id })
  },
  CompleteMultipartUpload({ request, response, content, call }, { data }) {
    const whole = header(request, 'x-amz-checksum-crc32')
    const object = content.complete(call.query.get('uploadId') ?? '', data.toString(), whole)
    const said = { Key: call.key, ETag: object.etag, ChecksumCRC32: object.checksum, ChecksumType: 'FULL_OBJECT' }
    sendXml(response, 'CompleteMultipartUploadResult', said)
  },
  AbortMultipartUpload({ response, content, call }) {
    const id = call.query.get('uploadId') ?? ''
    content.upload(id)
    content.uploads.delete(id)
    response.writeHead(204).end()
  },
  DeleteObject({ response, content, call }) {
    content.objects.delete(call.key)
    response.writeHead(204).end()
  },
  HeadObject({ request, response, content, call }) {
    const object = content.get(call.key)
    response.writeHead(200, { ...factsOf(request, object, null), 'content-length': object.data.length }).end()
  },
  GetObject,
  ListObjectsV2({ response, content, call: { query }, pageSize }) {
    const prefix = query.get('prefix') ?? ''
    const after = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString()
    const keys = [...content.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
    const page = keys.slice(0, pageSize)
    const rows = page.map((key) => {
      const { data, modified, etag } = content.get(key)
      return xml('Contents', { Key: key, Size: data.length, LastModified: modified.toISOString(), ETag: etag })
    })
    const next = keys.length > page.length ? Buffer.from(page.at(-1) ?? '').toString('base64') : ''
    const more = { IsTruncated: next !== '', ...(next === '' ? {} : { NextContinuationToken: next }) }
    sendXml(response, 'ListBucketResult', { Name: bucket, KeyCount: page.length, ...more }, rows)
  },
  ListMultipartUploads({ response, content, call: { query }, pageSize }) {
    const after = query.get('upload-id-marker') ?? ''
    const ids = [...content.uploads.keys()].toSorted().filter((id) => id > after)
    const page = ids.slice(0, pageSize)
    const rows = page.map((id) => {
      const { key, initiated } = content.upload(id)
      return xml('Upload', { Key: key, UploadId: id, Initiated: initiated.toISOString() })
    })
    const last = page.at(-1) ?? ''
    const markers = { NextUploadIdMarker: last, NextKeyMarker: content.uploads.get(last)?.key ?? '' }
    sendXml(response, 'ListMultipartUploadsResult', { IsTruncated: ids.length > page.length, ...markers }, rows)
  },
}

async function GetObject({ request, response, content, call, moved, effect }: Exchange): Promise<void> {
  const object = content.get(call.key)
  const asked = header(request, 'if-match')
  if (asked !== '' && asked !== object.etag) throw new Refusal('PreconditionFailed', 412)
  const [, from] = /^bytes=(\d+)-$/.exec(header(request, 'range')) ?? []
  const start = from === undefined ? null : Number(from)
  if (start !== null && start >= object.data.length) throw new Refusal('InvalidRange', 416)
  const data = Buffer.from(object.data.subarray(start ?? 0))
  if (effect === 'flip') flip(data)
  response.writeHead(start === null ? 200 : 206, {
    ...factsOf(request, object, start),
    'content-length': data.length,
  })
  const sent = effect === 'cut' ? data.subarray(0, Math.floor(data.length / 2)) : data
  moved.out += sent.length
  if (effect !== 'cut') return void response.end(sent)
  await new Promise((done) => response.write(sent, done))
  // What was written is to arrive before the line is gone.
  await wait(20)
  response.destroy()
}

function factsOf(request: IncomingMessage, { data, etag, checksum, modified }: BucketObject, start: number | null) {
  const isAsked = header(request, 'x-amz-checksum-mode') === 'ENABLED' && start === null
  return {
    etag,
    'last-modified': modified.toUTCString(),
    ...(start === null ? {} : { 'content-range': `bytes ${start}-${data.length - 1}/${data.length}` }),
    ...(isAsked ? { 'x-amz-checksum-crc32': checksum, 'x-amz-checksum-type': 'FULL_OBJECT' } : {}),
  }
}

const escaped = (text: unknown) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const xml = (tag: string, facts: Record<string, unknown>, inner: string[] = []) =>
  `<${tag}>${Object.entries(facts)
    .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
    .join('')}${inner.join('')}</${tag}>`

function sendXml(response: ServerResponse, tag: string, facts: Record<string, unknown>, inner: string[] = []): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${xml(tag, facts, inner)}`
  response.writeHead(200, { 'content-type': 'application/xml' }).end(text)
}

function refuse({ request, response }: Exchange, { code, status }: Refusal): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${xml('Error', { Code: code, Message: `${code} of the tests` })}`
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(request.method === 'HEAD' ? undefined : text)
}
