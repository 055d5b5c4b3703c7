/** A bucket of Amazon S3, or of what speaks like it. This folder alone loads the SDK: only a portal with a bucket pays for that. */
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
import type { BackupStore, Meter, StoredObject } from '#server/drivers/backup-store/driver.ts'
import { checkedKey } from '#server/drivers/backup-store/object-key.ts'
import { download } from '#server/drivers/backup-store/s3/download.ts'
import { storeError } from '#server/drivers/backup-store/s3/faults.ts'
import { metered } from '#server/drivers/backup-store/s3/metered.ts'
import { type Part, Parts } from '#server/drivers/backup-store/s3/parts.ts'
import { type Sending, type Target, Upload } from '#server/drivers/backup-store/s3/upload.ts'

export interface BucketSettings {
  bucket: string
  /** Null: Amazon's. */
  endpoint: string | null
  region: string
  /** The bucket in the path and not in the host name, as most of those beside Amazon's want it. */
  pathStyle: boolean
  /** Null: where the SDK looks for them (profile, role of the machine). */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | null
}

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

/** At most so many tries of a call, with growing pauses; ms. */
const patience = { tries: 4, connect: 5_000, answer: 60_000 }
const usualPart = 8 * 2 ** 20

export function bucketStore(
  settings: BucketSettings,
  { partBytes = usualPart, tries = patience.tries } = {},
): BackupStore {
  const client = openClient(settings, { tries, connectMs: patience.connect, answerMs: patience.answer })
  const target = (key: string): Target => ({ Bucket: settings.bucket, Key: checkedKey(key) })

  return {
    name: 's3',
    async put(key, body, meter) {
      const to = target(key)
      const source = watched(body, meter)
      try {
        const parts = new Parts()
        await send(client, to, parts.of(source.body, partBytes), parts, source)
        return { bytes: parts.bytes, sha256: parts.sha256() }
      } catch (error) {
        throw source.failure()?.error ?? storeError(error)
      }
    },
    async *get(key, meter) {
      yield* download(client, target(key), meter)
    },
    async *list(prefix) {
      const pages = paginateListObjectsV2({ client }, { Bucket: settings.bucket, Prefix: prefix })
      try {
        for await (const { Contents = [] } of pages) yield* Contents.map(asStored)
      } catch (error) {
        throw storeError(error)
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(target(key))).catch(orStoreError)
    },
    async tidy(olderThanMs) {
      const before = Date.now() - olderThanMs
      let count = 0
      try {
        for await (const { Key, UploadId, Initiated } of uploads(client, settings.bucket)) {
          if ((Initiated?.getTime() ?? before) >= before) continue
          await client.send(new AbortMultipartUploadCommand({ Bucket: settings.bucket, Key, UploadId }))
          count++
        }
      } catch (error) {
        throw storeError(error)
      }
      return count
    },
    close: async () => client.destroy(),
  }
}

async function send(client: S3Client, to: Target, parts: AsyncIterable<Part>, whole: Parts, { meter, cut }: Sending) {
  let upload: Upload | null = null
  try {
    for await (const part of parts) {
      if (part.number === 1 && part.isLast) {
        const command = new PutObjectCommand({ ...to, Body: part.data, ChecksumAlgorithm: 'CRC32' })
        await client.send(metered(command, meter), { abortSignal: cut.signal })
        return
      }
      upload ??= await Upload.begin(client, to, { meter, cut })
      await upload.add(part)
    }
    await upload?.complete(whole)
  } catch (error) {
    await upload?.abort()
    throw error
  }
}

/** What the body or the meter throws is the caller's own, and no fault of the bucket. */
function watched(body: AsyncIterable<Uint8Array>, meter: Meter) {
  let failure: { error: unknown } | null = null
  const cut = new AbortController()
  const keep = (error: unknown): never => {
    failure ??= { error }
    cut.abort()
    throw error
  }
  return {
    body: (async function* () {
      try {
        yield* body
      } catch (error) {
        keep(error)
      }
    })(),
    meter: async (bytes: number) => {
      try {
        await meter(bytes)
      } catch (error) {
        keep(error)
      }
    },
    cut,
    failure: () => failure as { error: unknown } | null,
  }
}

const asStored = ({ Key = '', Size = 0, LastModified }: _Object): StoredObject => ({
  key: Key,
  bytes: Size,
  modified: LastModified?.getTime() ?? 0,
})

async function* uploads(client: S3Client, Bucket: string): AsyncGenerator<MultipartUpload> {
  let marker: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
  while (marker) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket, ...marker }),
    )
    yield* page.Uploads ?? []
    marker = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null
  }
}

const orStoreError = (error: unknown): never => {
  throw storeError(error)
}
