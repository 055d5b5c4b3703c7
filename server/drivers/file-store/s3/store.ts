/** Stores files in a bucket of Amazon S3 or a compatible server. Loaded only by portals that use a bucket, because the SDK is large. */
import {
  type _Object,
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  type MultipartUpload,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { BucketSettings } from '#server/drivers/file-store/bucket-settings.ts'
import type {
  ByteMeter,
  FileStore,
  GetOptions,
  PutOptions,
  StoredObject,
} from '#server/drivers/file-store/file-store.ts'
import { requireObjectKey } from '#server/drivers/file-store/object-key.ts'
import { downloadObject } from '#server/drivers/file-store/s3/download.ts'
import { toStoreError } from '#server/drivers/file-store/s3/store-errors.ts'
import { meterCommand } from '#server/drivers/file-store/s3/meter-command.ts'
import { type UploadPart, PartSplitter } from '#server/drivers/file-store/s3/parts.ts'
import { type TransferControls, type ObjectTarget, ObjectUpload } from '#server/drivers/file-store/s3/upload.ts'

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
const ignoreBytes = () => undefined

export interface BucketStoreOptions {
  /** Empty, or ends with a slash. */
  prefix?: string
  partBytes?: number
  tries?: number
}

export function createBucketStore(
  settings: BucketSettings,
  { prefix: storePrefix = '', partBytes = defaultPartBytes, tries = defaultLimits.tries }: BucketStoreOptions = {},
): FileStore {
  const client = createS3Client(settings, { ...defaultLimits, tries })
  const Bucket = settings.bucket
  const toTarget = (key: string): ObjectTarget => ({ Bucket, Key: `${storePrefix}${requireObjectKey(key)}` })
  const toStoredObject = ({ Key = '', Size = 0, LastModified }: _Object): StoredObject => ({
    key: Key.slice(storePrefix.length),
    bytes: Size,
    modifiedAt: LastModified?.getTime() ?? 0,
  })

  return {
    location: { kind: 's3', bucket: settings, prefix: storePrefix },
    async put(key, body, { meter = ignoreBytes, onlyIfAbsent = false }: PutOptions = {}) {
      const target = toTarget(key)
      const watchedBody = watchBody(body, meter)
      try {
        const splitter = new PartSplitter()
        const condition = onlyIfAbsent ? { IfNoneMatch: '*' } : {}
        const parts = splitter.split(watchedBody.body, partBytes)
        const isWritten = await sendParts(client, { ...target, ...condition }, parts, splitter, watchedBody)
        return { bytes: splitter.bytes, sha256: splitter.finishSha256(), isWritten }
      } catch (error) {
        throw watchedBody.failure()?.error ?? toStoreError(error)
      }
    },
    async *get(key, { meter = ignoreBytes, range }: GetOptions = {}) {
      yield* downloadObject(client, toTarget(key), meter, range)
    },
    async stat(key) {
      try {
        const { ContentLength, LastModified } = await client.send(new HeadObjectCommand(toTarget(key)))
        return { key, bytes: ContentLength ?? 0, modifiedAt: LastModified?.getTime() ?? 0 }
      } catch (error) {
        const storeError = toStoreError(error)
        if (storeError.fault === 'missing') return null
        throw storeError
      }
    },
    async *list(prefix) {
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: storePrefix + prefix })
      try {
        for await (const { Contents = [] } of pages) yield* Contents.map(toStoredObject)
      } catch (error) {
        throw toStoreError(error)
      }
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(toTarget(key))).catch(throwStoreError)
    },
    async cleanUp(olderThanMs, prefix) {
      const cutoff = Date.now() - olderThanMs
      let count = 0
      try {
        for await (const { Key, UploadId, Initiated } of listUploads(client, Bucket, storePrefix + prefix)) {
          if ((Initiated?.getTime() ?? cutoff) >= cutoff) continue
          await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
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

/** Returns false if `IfNoneMatch` is set and there is an object of that key. */
async function sendParts(
  client: S3Client,
  { IfNoneMatch, ...target }: ObjectTarget & { IfNoneMatch?: string },
  parts: AsyncIterable<UploadPart>,
  splitter: PartSplitter,
  { meter, abortController }: TransferControls,
): Promise<boolean> {
  let upload: ObjectUpload | null = null
  try {
    for await (const part of parts) {
      if (part.number === 1 && part.isLast) {
        const command = new PutObjectCommand({ ...target, IfNoneMatch, Body: part.data, ChecksumAlgorithm: 'CRC32' })
        await client.send(meterCommand(command, meter), { abortSignal: abortController.signal })
        return true
      }
      upload ??= await ObjectUpload.begin(client, target, { meter, abortController })
      await upload.add(part)
    }
    await upload?.complete(splitter, IfNoneMatch)
    return true
  } catch (error) {
    await upload?.abort()
    if (IfNoneMatch !== undefined && isPreconditionFailed(error)) return false
    throw error
  }
}

const isPreconditionFailed = (error: unknown) => (error as Partial<Error> | null)?.name === 'PreconditionFailed'

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

async function* listUploads(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<MultipartUpload> {
  let marker: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | null = {}
  while (marker) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new ListMultipartUploadsCommand({ Bucket, Prefix, ...marker }),
    )
    yield* page.Uploads ?? []
    marker = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null
  }
}

const throwStoreError = (error: unknown): never => {
  throw toStoreError(error)
}
