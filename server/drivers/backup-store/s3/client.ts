/** The SDK's client of a bucket. */
import { S3Client } from '@aws-sdk/client-s3'
import type { BucketSettings } from '#server/drivers/backup-store/s3/store.ts'

export interface ClientLimits {
  /** Of one call, with growing pauses. */
  tries: number
  connectMs: number
  answerMs: number
}

export const openClient = (settings: BucketSettings, { tries, connectMs, answerMs }: ClientLimits): S3Client =>
  new S3Client({
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
    ...(settings.credentials === null ? {} : { credentials: settings.credentials }),
    maxAttempts: tries,
    requestHandler: { connectionTimeout: connectMs, requestTimeout: answerMs, throwOnRequestTimeout: true },
  })
