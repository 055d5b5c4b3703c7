/**
 * Implements a bucket of S3 over HTTP: objects, multipart uploads, ranges, paged lists, signatures and checksums. It can be made to fail
 * like a real one. Written from Amazon's documentation, so the SDK is tested against an independent implementation.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { BucketSettings } from '#server/drivers/file-store/bucket-settings.ts'
import { type DecodedBody, decodeBody, fitsChecksums } from '#tests/support/hosting/s3/body.ts'
import { BucketContent, type BucketObject, S3Error } from '#tests/support/hosting/s3/objects.ts'
import { type AccessKey, findBodyError, getHeader, findSignatureError } from '#tests/support/hosting/s3/signature.ts'

export type S3Operation =
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

export type S3Effect =
  /** The response is 503 SlowDown, sent after the body was received. */
  | 'busy'
  /** The connection is cut in the middle of the transfer. */
  | 'cut'
  /** The request is performed, but its response is lost. */
  | 'lose'
  /** One bit of the transferred data is flipped. */
  | 'flip'
  | 'full'
  | 'denied'
  | 'slow'

export interface S3Server {
  url: string
  content: BucketContent
  calls: S3Operation[]
  /** Bytes of payload received and sent. */
  transferred: { in: number; out: number }
  /** Applies the effect to the next `times` calls of that operation. Infinity applies it to all. */
  disturb(operation: S3Operation, effect: S3Effect, times?: number): void
  settings(overrides?: Partial<BucketSettings>): BucketSettings
  close(): Promise<void>
}

const testKey: AccessKey = { accessKeyId: 'AKTEST', secretAccessKey: 'secret/of+tests' }
const slowMs = 300

/** With `hasConditions` false, conditions of writes are ignored, as older servers of other providers do. */
export async function startS3({
  pageSize = 1000,
  hasConditions = true,
  bucket = 'backups',
  accessKey = testKey,
} = {}): Promise<S3Server> {
  const content = new BucketContent()
  const calls: S3Operation[] = []
  const transferred = { in: 0, out: 0 }
  const effects = new Map<S3Operation, { effect: S3Effect; times: number }>()
  const takeEffect = (operation: S3Operation): S3Effect | null => {
    const next = effects.get(operation)
    if (!next || next.times <= 0) return null
    next.times--
    return next.effect
  }
  const server = createServer((request, response) => {
    const call = parseCall(request)
    calls.push(call.operation)
    const exchange: S3Exchange = {
      request,
      response,
      call,
      content,
      transferred,
      pageSize,
      hasConditions,
      bucket,
      accessKey,
      effect: takeEffect(call.operation),
    }
    handleExchange(exchange).catch((error: unknown) => {
      if (error instanceof S3Error) return sendError(exchange, error)
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
    transferred,
    disturb: (operation, effect, times = 1) => effects.set(operation, { effect, times }),
    settings: (overrides) => ({
      bucket,
      endpoint: url,
      region: 'eu-test-1',
      pathStyle: true,
      credentials: accessKey,
      ...overrides,
    }),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

interface S3Call {
  operation: S3Operation
  bucket: string
  key: string
  query: URLSearchParams
}

interface S3Exchange {
  request: IncomingMessage
  response: ServerResponse
  call: S3Call
  content: BucketContent
  transferred: { in: number; out: number }
  pageSize: number
  hasConditions: boolean
  bucket: string
  accessKey: AccessKey
  effect: S3Effect | null
}

function parseCall(request: IncomingMessage): S3Call {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://bucket')
  const [, name = '', key = ''] = /^\/([^/]*)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? []
  return { operation: parseOperation(request.method ?? '', key, query), bucket: name, key, query }
}

function parseOperation(method: string, key: string, query: URLSearchParams): S3Operation {
  if (key === '') return query.has('uploads') ? 'ListMultipartUploads' : 'ListObjectsV2'
  if (method === 'GET') return 'GetObject'
  if (method === 'HEAD') return 'HeadObject'
  if (method === 'DELETE') return query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
  if (method === 'POST') return query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload'
  return query.has('uploadId') ? 'UploadPart' : 'PutObject'
}

async function handleExchange(exchange: S3Exchange): Promise<void> {
  const { request, response, call, bucket, accessKey, effect } = exchange
  const raw = await readBody(exchange)
  if (raw === null) return
  const refusal = findSignatureError(request, accessKey) ?? findBodyError(request, raw)
  if (refusal !== null) throw new S3Error(refusal, refusal.startsWith('XAmz') ? 400 : 403)
  if (call.bucket !== bucket) throw new S3Error('NoSuchBucket', 404)
  if (effect === 'busy') throw new S3Error('SlowDown', 503)
  if (effect === 'denied') throw new S3Error('AccessDenied', 403)
  if (effect === 'full') throw new S3Error('QuotaExceeded', 400)
  if (effect === 'slow') await wait(slowMs)
  const body = decodeBody(request, raw)
  if (body === null) throw new S3Error('IncompleteBody', 400)
  if (effect === 'lose') {
    const silent = Object.create(response) as ServerResponse
    Object.assign(silent, { writeHead: () => silent, end: () => silent, write: () => true })
    await operations[call.operation]({ ...exchange, response: silent }, body)
    response.destroy()
    return
  }
  await operations[call.operation](exchange, body)
}

/** Returns null if the connection was cut. */
async function readBody({ request, call, effect, transferred }: S3Exchange): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  const isPayload = call.operation === 'PutObject' || call.operation === 'UploadPart'
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (isPayload) transferred.in += chunk.length
    if (isPayload && effect === 'cut' && length * 2 >= Number(request.headers['content-length'])) {
      request.destroy()
      return null
    }
  }
  const body = Buffer.concat(chunks)
  if (isPayload && effect === 'flip' && body.length > 0) flip(body)
  return body
}

export function flip(data: Buffer): void {
  const middle = Math.floor(data.length / 2)
  data.writeUInt8(data.readUInt8(middle) ^ 1, middle)
}

const operations: Record<S3Operation, (exchange: S3Exchange, body: DecodedBody) => void | Promise<void>> = {
  PutObject(exchange, body) {
    if (!fitsChecksums(body)) throw new S3Error('BadDigest', 400)
    checkConditions(exchange)
    const { response, content, call } = exchange
    const { etag, checksum } = content.put(call.key, body.data)
    response.writeHead(200, { etag, 'x-amz-checksum-crc32': checksum, 'x-amz-checksum-type': 'FULL_OBJECT' }).end()
  },
  UploadPart({ response, content, call: { query } }, body) {
    const id = query.get('uploadId') ?? ''
    content.upload(id)
    if (!fitsChecksums(body)) throw new S3Error('BadDigest', 400)
    const { etag, checksum } = content.putPart(id, Number(query.get('partNumber')), body.data)
    response.writeHead(200, { etag, 'x-amz-checksum-crc32': checksum }).end()
  },
  CreateMultipartUpload({ request, response, content, call, bucket }) {
    if (getHeader(request, 'x-amz-checksum-type') !== 'FULL_OBJECT') throw new S3Error('InvalidRequest', 400)
    const id = content.begin(call.key)
    sendXml(response, 'InitiateMultipartUploadResult', { Bucket: bucket, Key: call.key, UploadId: id })
  },
  CompleteMultipartUpload(exchange, { data }) {
    checkConditions(exchange)
    const { request, response, content, call } = exchange
    const checksum = getHeader(request, 'x-amz-checksum-crc32')
    const object = content.complete(call.query.get('uploadId') ?? '', data.toString(), checksum)
    const fields = { Key: call.key, ETag: object.etag, ChecksumCRC32: object.checksum, ChecksumType: 'FULL_OBJECT' }
    sendXml(response, 'CompleteMultipartUploadResult', fields)
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
    response
      .writeHead(200, { ...buildObjectHeaders(request, object, null), 'content-length': object.data.length })
      .end()
  },
  GetObject,
  ListObjectsV2({ response, content, call: { query }, pageSize, bucket }) {
    const prefix = query.get('prefix') ?? ''
    const startAfter = Buffer.from(query.get('continuation-token') ?? '', 'base64').toString()
    const keys = [...content.objects.keys()].filter((key) => key.startsWith(prefix) && key > startAfter).toSorted()
    const page = keys.slice(0, pageSize)
    const rows = page.map((key) => {
      const { data, modifiedAt, etag } = content.get(key)
      return buildXml('Contents', { Key: key, Size: data.length, LastModified: modifiedAt.toISOString(), ETag: etag })
    })
    const next = keys.length > page.length ? Buffer.from(page.at(-1) ?? '').toString('base64') : ''
    const continuation = { IsTruncated: next !== '', ...(next === '' ? {} : { NextContinuationToken: next }) }
    sendXml(response, 'ListBucketResult', { Name: bucket, KeyCount: page.length, ...continuation }, rows)
  },
  ListMultipartUploads({ response, content, call: { query }, pageSize }) {
    const startAfter = query.get('upload-id-marker') ?? ''
    const prefix = query.get('prefix') ?? ''
    const ids = [...content.uploads.keys()]
      .toSorted()
      .filter((id) => id > startAfter && content.upload(id).key.startsWith(prefix))
    const page = ids.slice(0, pageSize)
    const rows = page.map((id) => {
      const { key, initiatedAt } = content.upload(id)
      return buildXml('Upload', { Key: key, UploadId: id, Initiated: initiatedAt.toISOString() })
    })
    const last = page.at(-1) ?? ''
    const markers = { NextUploadIdMarker: last, NextKeyMarker: content.uploads.get(last)?.key ?? '' }
    sendXml(response, 'ListMultipartUploadsResult', { IsTruncated: ids.length > page.length, ...markers }, rows)
  },
}

function checkConditions({ request, content, call, hasConditions }: S3Exchange): void {
  if (!hasConditions) return
  const [match, noneMatch] = [getHeader(request, 'if-match'), getHeader(request, 'if-none-match')]
  const current = content.objects.get(call.key)
  if (match !== '' && !current) throw new S3Error('NoSuchKey', 404)
  if ((match !== '' && match !== current?.etag) || (noneMatch === '*' && current))
    throw new S3Error('PreconditionFailed', 412)
}

async function GetObject({ request, response, content, call, transferred, effect }: S3Exchange): Promise<void> {
  const object = content.get(call.key)
  const ifMatch = getHeader(request, 'if-match')
  if (ifMatch !== '' && ifMatch !== object.etag) throw new S3Error('PreconditionFailed', 412)
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(getHeader(request, 'range')) ?? []
  const start = from === undefined ? null : Number(from)
  if (start !== null && start >= object.data.length) throw new S3Error('InvalidRange', 416)
  const data = Buffer.from(object.data.subarray(start ?? 0, to ? Number(to) + 1 : object.data.length))
  if (effect === 'flip') flip(data)
  response.writeHead(start === null ? 200 : 206, {
    ...buildObjectHeaders(request, object, start, data.length),
    'content-length': data.length,
  })
  const responseBody = effect === 'cut' ? data.subarray(0, Math.floor(data.length / 2)) : data
  transferred.out += responseBody.length
  if (effect !== 'cut') return void response.end(responseBody)
  await new Promise((resolve) => response.write(responseBody, resolve))
  // The written bytes must arrive before the connection closes.
  await wait(20)
  response.destroy()
}

function buildObjectHeaders(
  request: IncomingMessage,
  { data, etag, checksum, modifiedAt }: BucketObject,
  start: number | null,
  length = data.length,
) {
  const isChecksumRequested = getHeader(request, 'x-amz-checksum-mode') === 'ENABLED' && start === null
  return {
    etag,
    'last-modified': modifiedAt.toUTCString(),
    ...(start === null ? {} : { 'content-range': `bytes ${start}-${start + length - 1}/${data.length}` }),
    ...(isChecksumRequested ? { 'x-amz-checksum-crc32': checksum, 'x-amz-checksum-type': 'FULL_OBJECT' } : {}),
  }
}

const escapeXml = (text: unknown) =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const buildXml = (tag: string, fields: Record<string, unknown>, children: string[] = []) =>
  `<${tag}>${Object.entries(fields)
    .map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`)
    .join('')}${children.join('')}</${tag}>`

function sendXml(
  response: ServerResponse,
  tag: string,
  fields: Record<string, unknown>,
  children: string[] = [],
): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${buildXml(tag, fields, children)}`
  response.writeHead(200, { 'content-type': 'application/xml' }).end(text)
}

function sendError({ request, response }: S3Exchange, { code, status }: S3Error): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n${buildXml('Error', { Code: code, Message: `${code} of the tests` })}`
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(request.method === 'HEAD' ? undefined : text)
}
