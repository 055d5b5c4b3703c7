import { GetObjectCommand, type GetObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import type { ByteMeter, GetOptions } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { isRetryable, toStoreError } from '#server/drivers/file-store/s3/store-errors.ts'
import { formatCrc } from '#server/drivers/file-store/s3/parts.ts'
import type { ObjectTarget } from '#server/drivers/file-store/s3/upload.ts'

/** Maximum number of consecutive interruptions without any data in between. */
const maxInterruptions = 3

export async function* downloadObject(
  client: S3Client,
  target: ObjectTarget,
  meter: ByteMeter,
  range?: GetOptions['range'],
): AsyncGenerator<Uint8Array> {
  if (range?.length === 0) return
  let firstResponse: GetObjectCommandOutput | null = null
  let offset = 0
  let checksum = 0
  let interruptionCount = 0
  while (firstResponse === null || offset < (firstResponse.ContentLength ?? 0)) {
    const startOffset = offset
    const response = await requestObject(client, target, buildRangeOptions(offset, firstResponse?.ETag, range))
    if (response === null) return
    firstResponse ??= response
    const body = response.Body as Readable
    try {
      const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
      for (let chunk = await readChunk(chunks); chunk !== null; chunk = await readChunk(chunks)) {
        offset += chunk.length
        checksum = crc32(chunk, checksum)
        await meter(chunk.length)
        yield chunk
      }
    } finally {
      body.destroy()
    }
    interruptionCount = offset > startOffset ? 0 : interruptionCount + 1
    if (interruptionCount > maxInterruptions)
      throw new StoreError('unreachable', 'The bucket interrupts every download.')
  }
  const { ChecksumCRC32: expectedChecksum } = firstResponse
  if (expectedChecksum !== undefined && !expectedChecksum.includes('-') && expectedChecksum !== formatCrc(checksum))
    throw new StoreError('damaged', 'The downloaded object does not match its checksum.')
}

/** The checksum is requested only for the complete object: buckets have none for a part of an object. */
function buildRangeOptions(offset: number, etag: string | undefined, range: GetOptions['range']) {
  if (offset === 0 && !range) return { ChecksumMode: 'ENABLED' as const }
  const start = (range?.start ?? 0) + offset
  const end = range ? String(range.start + range.length - 1) : ''
  return { Range: `bytes=${start}-${end}`, IfMatch: etag }
}

/** Returns null if the object ends before the requested range. */
async function requestObject(
  client: S3Client,
  target: ObjectTarget,
  rangeOptions: ReturnType<typeof buildRangeOptions>,
): Promise<GetObjectCommandOutput | null> {
  try {
    return await client.send(new GetObjectCommand({ ...target, ...rangeOptions }))
  } catch (error) {
    if ((error as Partial<Error> | null)?.name === 'InvalidRange') return null
    throw toStoreError(error)
  }
}

/** Returns null at the end of the response body, also if a lost connection ended the body early. */
async function readChunk(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  try {
    const { done, value } = await chunks.next()
    return done ? null : value
  } catch (error) {
    const fault = toStoreError(error)
    if (isRetryable(fault)) return null
    throw fault
  }
}
