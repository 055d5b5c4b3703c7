import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

export interface UploadPart {
  /** Number of the part, from 1. */
  number: number
  data: Buffer
  isLast: boolean
}

/** Number of parts after which the part size doubles. A bucket accepts 10,000 parts, which must hold the largest possible object. */
const partsPerSize = 1_000

export class PartSplitter {
  readonly #sha256 = createHash('sha256')
  #crc32 = 0
  bytes = 0

  /** Yields at least one part. All but the last have at least `partBytes`. Only an empty body has an empty part. */
  async *split(body: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<UploadPart> {
    let number = 1
    let pendingChunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of body) {
      this.#updateDigests(chunk)
      pendingChunks.push(chunk)
      length += chunk.length
      for (let size = getPartSize(number, partBytes); length > size; size = getPartSize(number, partBytes)) {
        const data = Buffer.concat(pendingChunks)
        yield { number, data: data.subarray(0, size), isLast: false }
        pendingChunks = [data.subarray(size)]
        length -= size
        number++
      }
    }
    yield { number, data: Buffer.concat(pendingChunks), isLast: true }
  }

  #updateDigests(chunk: Uint8Array): void {
    this.#sha256.update(chunk)
    this.#crc32 = crc32(chunk, this.#crc32)
    this.bytes += chunk.length
  }

  /** Returns the SHA-256 in hex. Can be called only once. */
  finishSha256(): string {
    return this.#sha256.digest('hex')
  }

  get checksum(): string {
    return formatCrc(this.#crc32)
  }
}

const getPartSize = (number: number, partBytes: number) => partBytes * 2 ** Math.floor((number - 1) / partsPerSize)

export function formatCrc(value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes.toString('base64')
}
