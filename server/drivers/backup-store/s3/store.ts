/** Stores backups in a bucket of Amazon S3 or a compatible server. Loaded only by portals that use a bucket, because the SDK is large. */
import {
  type _Object,
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { BackupStore, ByteMeter, StoredObject } from '#server/drivers/backup-store/backup-store.ts'
import { requireObjectKey } from '#server/drivers/backup-store/object-key.ts'
import { downloadObject } from '#server/drivers/backup-store/s3/download.ts'
import { toStoreError } from '#server/drivers/backup-store/s3/store-errors.ts'
import { meterCommand } from '#server/drivers/backup-store/s3/meter-command.ts'
import { type UploadPart, PartSplitter } from '#server/drivers/backup-store/s3/parts.ts'
import { type TransferControls, type ObjectTarget, ObjectUpload } from '#server/drivers/backup-store/s3/upload.ts'

export interface BucketSettings {
  bucket: string
  /** URL of the server. Null for Amazon's own servers. */
  endpoint: string | null
  region: string
  /** Puts the bucket name into the path and not into the host name. Most servers other than Amazon's need this. */
  pathStyle: boolean
  /** Null if the SDK gets the credentials itself (profile, role of the machine). */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null
}

export interface ClientLimits {
  tries: number
  connectTimeoutMs: number
  responseTimeoutMs: number
}

export const createS3Client = (
  settings: BucketSettings,
  { tries, connectTimeoutMs, responseTimeoutMs }: ClientLimits,
): S3Client =>
  new S3Client({
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    ...(settings.endpoint === null ? {} : { endpoint: settings.endpoint }),
    ...(settings.credentials === null ? {} : { credentials: settings.credentials }),
    maxAttempts: tries,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      requestTimeout: responseTimeoutMs,
      throwOnRequestTimeout: true,
    },
  })

const defaultLimits = { tries: 4, connectTimeoutMs: 5_000, responseTimeoutMs: 60_000 }
const defaultPartBytes = 8 * 2 ** 20

export function createBucketStore(
  settings: BucketSettings,
  { partBytes = defaultPartBytes, tries = defaultLimits.tries } = {},
): BackupStore {
  const client = createS3Client(settings, {
    tries,
    connectTimeoutMs: defaultLimits.connectTimeoutMs,
    responseTimeoutMs: defaultLimits.responseTimeoutMs,
  })
  const toTarget = (key: string): ObjectTarget => ({ Bucket: settings.bucket, Key: requireObjectKey(key) })

  return {
    name: 's3',
    async put(key, body, meter) {
      const target = toTarget(key)
      const watchedBody = watchBody(body, meter)
      try {
        const splitter = new PartSplitter()
        await sendParts(client, target, splitter.split(watchedBody.body, partBytes), splitter, watchedBody)
        return { bytes: splitter.bytes, sha256: splitter.finishSha256() }
      } catch (error) {
        throw watchedBody.failure()?.error ?? toStoreError(error)
      }
    },
    async *get(key, meter) {
      yield* downloadObject(client, toTarget(key), meter)
    },
    async *list(prefix) {
      const pages = paginateListObjectsV2({ client }, { Bucket: settings.bucket, Prefix: prefix })
      try {
        for await (const { Contents = [] } of pages) yield* Contents.map(toStoredObject)
      } catch (error) {
        throw toStoreError(error)
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(toTarget(key))).catch(throwStoreError)
    },
    async cleanUp(olderThanMs) {
      const cutoff = Date.now() - olderThanMs
      let count = 0
      try {
        for await (const { Key, UploadId, Initiated } of listUploads(client, settings.bucket)) {
          if ((Initiated?.getTime() ?? cutoff) >= cutoff) continue
          await client.send(new AbortMultipartUploadCommand({ Bucket: settings.bucket, Key, UploadId }))
          count++
        }
      } catch (error) {
        throw toStoreError(error)
      }
      return count
    },
    close: async () => client.destroy(),
  }
}

async function sendParts(
  client: S3Client,
  target: ObjectTarget,
  parts: AsyncIterable<UploadPart>,
  splitter: PartSplitter,
  { meter, abortController }: TransferControls,
) {
  let upload: ObjectUpload | null = null
  try {
    for await (const part of parts) {
      if (part.number === 1 && part.isLast) {
        const command = new PutObjectCommand({ ...target, Body: part.data, ChecksumAlgorithm: 'CRC32' })
        await client.send(meterCommand(command, meter), { abortSignal: abortController.signal })
        return
      }
      upload ??= await ObjectUpload.begin(client, target, { meter, abortController })
      await upload.add(part)
    }
    await upload?.complete(splitter)
  } catch (error) {
    await upload?.abort()
    throw error
  }
}

/** Watches for errors of the body and the meter. They are rethrown to the caller and not mapped to faults of the bucket. */
function watchBody(body: AsyncIterable<Uint8Array>, meter: ByteMeter) {
  let failure: { error: unknown } | null = null
  const abortController = new AbortController()
  const recordFailure = (error: unknown): never => {
    failure ??= { error }
    abortController.abort()
    throw error
  }
  return {
    body: (async function* () {
      try {
        yield* body
      } catch (error) {
        recordFailure(error)
      }
    })(),
    meter: async (bytes: number) => {
      try {
        await meter(bytes)
      } catch (error) {
        recordFailure(error)
      }
    },
    abortController,
    failure: () => failure as { error: unknown } | null,
  }
}

const toStoredObject = ({ Key = '', Size = 0, LastModified }: _Object): StoredObject => ({
  key: Key,
  bytes: Size,
  modifiedAt: LastModified?.getTime() ?? 0,
})

async function* listUploads(client: S3Client, Bucket: string): AsyncGenerator<MultipartUpload> {
  let marker: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
  while (marker) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket, ...marker }),
    )
    yield* page.Uploads ?? []
    marker = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null
  }
}

const throwStoreError = (error: unknown): never => {
  throw toStoreError(error)
}
