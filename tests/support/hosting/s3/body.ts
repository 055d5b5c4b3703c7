/** Decodes the body of a bucket request: plain, or in chunks followed by a checksum (aws-chunked). */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { crc32 } from 'node:zlib'
import { getHeader } from '#tests/support/hosting/s3/signature.ts'

export interface DecodedBody {
  data: Buffer
  /** Headers, including trailers. */
  headers: IncomingHttpHeaders
}

/** Returns null if the body does not match its headers. */
export function decodeBody(request: IncomingMessage, raw: Buffer): DecodedBody | null {
  const isChunked = getHeader(request, 'content-encoding').split(/, */).includes('aws-chunked')
  if (!isChunked) return { data: raw, headers: request.headers }
  const chunks: Buffer[] = []
  let offset = 0
  for (;;) {
    const end = raw.indexOf('\r\n', offset)
    const size = end < 0 ? Number.NaN : Number.parseInt(raw.toString('latin1', offset, end), 16)
    if (Number.isNaN(size)) return null
    offset = end + 2
    if (size === 0) break
    chunks.push(raw.subarray(offset, offset + size))
    offset += size + 2
  }
  const trailers = raw
    .toString('latin1', offset)
    .split('\r\n')
    .flatMap((line) => (/^([^:]+):(.*)$/.exec(line) ?? []).slice(1, 3))
  const data = Buffer.concat(chunks)
  if (String(data.length) !== getHeader(request, 'x-amz-decoded-content-length')) return null
  const [name, value] = trailers
  return {
    data,
    headers: { ...request.headers, ...(name === undefined ? {} : { [name.toLowerCase()]: value?.trim() }) },
  }
}

export function calculateCrc(data: Buffer): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(data))
  return bytes.toString('base64')
}

/** Returns whether the request has at least one checksum and all its checksums match. */
export function fitsChecksums({ data, headers }: DecodedBody): boolean {
  const checksums = [
    ['x-amz-checksum-crc32', calculateCrc(data)],
    ['x-amz-checksum-sha256', createHash('sha256').update(data).digest('base64')],
    ['content-md5', createHash('md5').update(data).digest('base64')],
  ].filter(([name = '']) => headers[name] !== undefined)
  return checksums.length > 0 && checksums.every(([name = '', checksum]) => headers[name] === checksum)
}
