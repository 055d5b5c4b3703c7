/** Stores the document as an object of a bucket, with conditional writes (If-Match, If-None-Match). */
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { toStoreError } from '#server/drivers/file-store/s3/store-errors.ts'
import { createS3Client } from '#server/drivers/file-store/s3/store.ts'
import type { BucketSettings } from '#server/drivers/file-store/bucket-settings.ts'
import type { CheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'

/** Limits of requests. Audit entries wait for this store, so they allow fewer and shorter attempts than those of a backup. */
const limits = { tries: 2, connectTimeoutMs: 2_000, responseTimeoutMs: 5_000 }

export function createS3Store(settings: BucketSettings, key: string): CheckpointStore {
  const client = createS3Client(settings, limits)
  const target = { Bucket: settings.bucket, Key: key }
  return {
    name: 's3',
    async read() {
      try {
        const { Body, ETag } = await client.send(new GetObjectCommand(target))
        return { text: (await Body?.transformToString()) ?? '', version: ETag ?? '' }
      } catch (error) {
        if ((error as Partial<Error> | null)?.name === 'NoSuchKey') return null
        throw toStoreError(error)
      }
    },
    async replace(text, version) {
      const condition = version === null ? { IfNoneMatch: '*' } : { IfMatch: version }
      try {
        const body = { Body: text, ContentType: 'application/json', ChecksumAlgorithm: 'CRC32' as const }
        await client.send(new PutObjectCommand({ ...target, ...condition, ...body }))
        return true
      } catch (error) {
        if (isConflict(error)) return false
        throw toStoreError(error)
      }
    },
    close: async () => client.destroy(),
  }
}

/** Returns true if the object has changed. 404 (NoSuchKey) means that the object to replace no longer exists. */
const isConflict = (error: unknown) =>
  ['PreconditionFailed', 'ConditionalRequestConflict', 'NoSuchKey'].includes(
    (error as Partial<Error> | null)?.name ?? '',
  )
