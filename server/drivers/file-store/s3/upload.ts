/** Uploads one object in parts. The first failed part aborts the upload, so that no further part is sent in vain. */
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { ByteMeter } from '#server/drivers/file-store/file-store.ts'
import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { meterCommand } from '#server/drivers/file-store/s3/meter-command.ts'
import type { UploadPart } from '#server/drivers/file-store/s3/parts.ts'

/** Maximum number of parts that are sent at the same time, in addition to the part that is being filled. */
const maxInFlight = 2

export interface ObjectTarget {
  Bucket: string
  Key: string
}

export interface TransferControls {
  meter: ByteMeter
  abortController: AbortController
}

export class ObjectUpload {
  readonly #client: S3Client
  readonly #target: ObjectTarget & { UploadId: string }
  readonly #meter: ByteMeter
  readonly #pendingParts = new Set<Promise<void>>()
  readonly #completedParts: CompletedPart[] = []
  readonly #abortController: AbortController
  #failure: { error: unknown } | null = null

  private constructor(
    client: S3Client,
    target: ObjectTarget & { UploadId: string },
    { meter, abortController }: TransferControls,
  ) {
    this.#client = client
    this.#target = target
    this.#meter = meter
    this.#abortController = abortController
  }

  static async begin(client: S3Client, target: ObjectTarget, controls: TransferControls): Promise<ObjectUpload> {
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }),
    )
    if (UploadId === undefined) throw new StoreError('unreachable', 'The bucket returned no upload id.')
    return new ObjectUpload(client, { ...target, UploadId }, controls)
  }

  /** Sends the part in the background. Waits first if too many parts are being sent. Throws the error of an earlier part. */
  async add(part: UploadPart): Promise<void> {
    while (this.#pendingParts.size >= maxInFlight) await Promise.race(this.#pendingParts)
    this.#throwFailure()
    const pendingPart = this.#send(part).catch((error: unknown) => {
      this.#failure ??= { error }
    })
    this.#pendingParts.add(pendingPart)
    void pendingPart.finally(() => this.#pendingParts.delete(pendingPart))
  }

  async #send({ number, data }: UploadPart): Promise<void> {
    const command = new UploadPartCommand({
      ...this.#target,
      PartNumber: number,
      Body: data,
      ChecksumAlgorithm: 'CRC32',
    })
    const { ETag, ChecksumCRC32 } = await this.#client.send(meterCommand(command, this.#meter), {
      abortSignal: this.#abortController.signal,
    })
    this.#completedParts.push({ PartNumber: number, ETag, ChecksumCRC32 })
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }

  /** With `IfNoneMatch`, throws PreconditionFailed if there is an object of that key. */
  async complete(total: { bytes: number; checksum: string }, IfNoneMatch?: string): Promise<void> {
    await Promise.all(this.#pendingParts)
    this.#throwFailure()
    const Parts = this.#completedParts.toSorted((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0))
    const { ChecksumCRC32 } = await this.#client
      .send(
        new CompleteMultipartUploadCommand({
          ...this.#target,
          IfNoneMatch,
          MultipartUpload: { Parts },
          ChecksumCRC32: total.checksum,
          ChecksumType: 'FULL_OBJECT',
        }),
      )
      .catch((error: unknown) => this.#findCompleted(error, total))
    if (isOtherChecksum(ChecksumCRC32, total.checksum))
      throw new StoreError('damaged', 'The checksum of the uploaded object does not match the sent data.')
  }

  /** Returns the object if it is already complete. After a lost response the SDK repeats the request, and gets NoSuchUpload. */
  async #findCompleted(error: unknown, total: { bytes: number; checksum: string }) {
    if ((error as Error).name !== 'NoSuchUpload') throw error
    const { Bucket, Key } = this.#target
    const object = await this.#client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }))
    if (object.ContentLength === total.bytes && object.ChecksumCRC32 === total.checksum) return object
    throw error
  }

  /**
   * Aborts the upload. Running requests are aborted first, because a part that arrives later would stay. `cleanUp` retries failed aborts.
   */
  async abort(): Promise<void> {
    this.#abortController.abort()
    await Promise.all(this.#pendingParts)
    await this.#client.send(new AbortMultipartUploadCommand(this.#target)).catch(() => undefined)
  }
}

/** Returns true if the bucket reports another checksum. Some buckets report none, or a checksum of checksums, which contains a hyphen. */
const isOtherChecksum = (actualChecksum: string | undefined, expectedChecksum: string) =>
  actualChecksum !== undefined && !actualChecksum.includes('-') && actualChecksum !== expectedChecksum
