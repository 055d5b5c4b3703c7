/** What comes with a request to a bucket: plain, or in chunks with a checksum behind them (aws-chunked). */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { crc32 } from 'node:zlib'
import { header } from '#tests/support/hosting/s3/signature.ts'

export interface Body {
  data: Buffer
  /** Headers, with those that stood behind the body. */
  headers: IncomingHttpHeaders
}

/** Null: it does not fit what it says of itself. */
export function decoded(request: IncomingMessage, raw: Buffer): Body | null {
  const isChunked = header(request, 'content-encoding').split(/, */).includes('aws-chunked')
  if (!isChunked) return { data: raw, headers: request.headers }
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const end = raw.indexOf('\r\n', at)
    const size = end < 0 ? Number.NaN : Number.parseInt(raw.toString('latin1', at, end), 16)
    if (Number.isNaN(size)) return null
    at = end + 2
    if (size === 0) break
    chunks.push(raw.subarray(at, at + size))
    at += size + 2
  }
  const trailers = raw
    .toString('latin1', at)
    .split('\r\n')
    .flatMap((line) => (/^([^:]+):(.*)$/.exec(line) ?? []).slice(1, 3))
  const data = Buffer.concat(chunks)
  if (String(data.length) !== header(request, 'x-amz-decoded-content-length')) return null
  const [name, value] = trailers
  return {
    data,
    headers: { ...request.headers, ...(name === undefined ? {} : { [name.toLowerCase()]: value?.trim() }) },
  }
}

export function crcOf(data: Buffer): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(data))
  return bytes.toString('base64')
}

/** Whether all checksums that came with it fit; one at least has to. */
export function fitsChecksums({ data, headers }: Body): boolean {
  const said = [
    ['x-amz-checksum-crc32', crcOf(data)],
    ['x-amz-checksum-sha256', createHash('sha256').update(data).digest('base64')],
    ['content-md5', createHash('md5').update(data).digest('base64')],
  ].filter(([name = '']) => headers[name] !== undefined)
  return said.length > 0 && said.every(([name = '', own]) => headers[name] === own)
}
