/** One object, from where the line was cut on, and proven at its end. */
import { GetObjectCommand, type GetObjectCommandOutput, type S3Client } from '@aws-sdk/client-s3'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Meter, StoreError } from '#server/drivers/backup-store/driver.ts'
import { isCut, storeError } from '#server/drivers/backup-store/s3/faults.ts'
import { crcText } from '#server/drivers/backup-store/s3/parts.ts'
import type { Target } from '#server/drivers/backup-store/s3/upload.ts'

/** In a row, without a byte in between. */
const maxCuts = 3

export async function* download(client: S3Client, target: Target, meter: Meter): AsyncGenerator<Uint8Array> {
  let first: GetObjectCommandOutput | null = null
  let at = 0
  let checksum = 0
  let cuts = 0
  while (first === null || at < (first.ContentLength ?? 0)) {
    const from = at
    const answer: GetObjectCommandOutput = await ask(client, target, at, first?.ETag)
    first ??= answer
    const body = answer.Body as Readable
    try {
      const parts = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
      for (let part = await take(parts); part !== null; part = await take(parts)) {
        at += part.length
        checksum = crc32(part, checksum)
        await meter(part.length)
        yield part
      }
    } finally {
      body.destroy()
    }
    cuts = at > from ? 0 : cuts + 1
    if (cuts > maxCuts) throw new StoreError('unreachable', 'The bucket cuts off what it sends.')
  }
  const { ChecksumCRC32: said } = first
  if (said !== undefined && !said.includes('-') && said !== crcText(checksum))
    throw new StoreError('damaged', 'What came from the bucket does not fit its checksum.')
}

async function ask(client: S3Client, target: Target, at: number, etag: string | undefined) {
  // Of a part alone there is no checksum.
  const rest = at === 0 ? { ChecksumMode: 'ENABLED' as const } : { Range: `bytes=${at}-`, IfMatch: etag }
  try {
    return await client.send(new GetObjectCommand({ ...target, ...rest }))
  } catch (error) {
    throw storeError(error)
  }
}

/** Null: no more comes from this answer, whether that is all or the line was cut. */
async function take(parts: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  try {
    const { done, value } = await parts.next()
    return done ? null : value
  } catch (error) {
    const fault = storeError(error)
    if (isCut(fault)) return null
    throw fault
  }
}
