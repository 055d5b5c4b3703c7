/** One object in parts. The first part that fails ends it, so that no other one goes over the line for nothing. */
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { type Meter, StoreError } from '#server/drivers/backup-store/driver.ts'
import { metered } from '#server/drivers/backup-store/s3/metered.ts'
import type { Part } from '#server/drivers/backup-store/s3/parts.ts'

/** Beside the one that is being filled. */
const inFlight = 2

export interface Target {
  Bucket: string
  Key: string
}

export interface Sending {
  /** Counts what goes. */
  meter: Meter
  /** Ends what is on its way. */
  cut: AbortController
}

export class Upload {
  readonly #client: S3Client
  readonly #target: Target & { UploadId: string }
  readonly #meter: Meter
  readonly #sending = new Set<Promise<void>>()
  readonly #sent: CompletedPart[] = []
  readonly #cut: AbortController
  #failure: { error: unknown } | null = null

  private constructor(client: S3Client, target: Target & { UploadId: string }, { meter, cut }: Sending) {
    this.#client = client
    this.#target = target
    this.#meter = meter
    this.#cut = cut
  }

  static async begin(client: S3Client, target: Target, sending: Sending): Promise<Upload> {
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' }),
    )
    if (UploadId === undefined) throw new StoreError('unreachable', 'The bucket begins an upload without naming it.')
    return new Upload(client, { ...target, UploadId }, sending)
  }

  /** Waits where enough are on their way; throws what became of an earlier one. */
  async add(part: Part): Promise<void> {
    while (this.#sending.size >= inFlight) await Promise.race(this.#sending)
    this.#throwFailure()
    const sending = this.#send(part).catch((error: unknown) => {
      this.#failure ??= { error }
    })
    this.#sending.add(sending)
    void sending.finally(() => this.#sending.delete(sending))
  }

  async #send({ number, data }: Part): Promise<void> {
    const command = new UploadPartCommand({
      ...this.#target,
      PartNumber: number,
      Body: data,
      ChecksumAlgorithm: 'CRC32',
    })
    const { ETag, ChecksumCRC32 } = await this.#client.send(metered(command, this.#meter), {
      abortSignal: this.#cut.signal,
    })
    this.#sent.push({ PartNumber: number, ETag, ChecksumCRC32 })
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error
  }

  /** `whole`: what all parts together are. */
  async complete(whole: { bytes: number; checksum: string }): Promise<void> {
    await Promise.all(this.#sending)
    this.#throwFailure()
    const Parts = this.#sent.toSorted((one, other) => (one.PartNumber ?? 0) - (other.PartNumber ?? 0))
    const { ChecksumCRC32 } = await this.#client
      .send(
        new CompleteMultipartUploadCommand({
          ...this.#target,
          MultipartUpload: { Parts },
          ChecksumCRC32: whole.checksum,
          ChecksumType: 'FULL_OBJECT',
        }),
      )
      .catch((error: unknown) => this.#completedBefore(error, whole))
    if (isOther(ChecksumCRC32, whole.checksum))
      throw new StoreError('damaged', 'The bucket has put together something else than was sent.')
  }

  /** The answer was lost and the SDK asked again: the upload is over, because the object is there. */
  async #completedBefore(error: unknown, whole: { bytes: number; checksum: string }) {
    if ((error as Error).name !== 'NoSuchUpload') throw error
    const { Bucket, Key } = this.#target
    const found = await this.#client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }))
    if (found.ContentLength === whole.bytes && found.ChecksumCRC32 === whole.checksum) return found
    throw error
  }

  /** What is on its way is cut off first: a part that came later would stay. What cannot be ended now is tidied up later. */
  async abort(): Promise<void> {
    this.#cut.abort()
    await Promise.all(this.#sending)
    await this.#client.send(new AbortMultipartUploadCommand(this.#target)).catch(() => undefined)
  }
}

/** Buckets that do not keep the checksum of all of it say nothing, or say one of checksums, with a hyphen. */
const isOther = (said: string | undefined, own: string) => said !== undefined && !said.includes('-') && said !== own
