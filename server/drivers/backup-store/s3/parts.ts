/** A body of unknown length in parts, as a bucket takes them, and what it was in all. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

export interface Part {
  /** From 1. */
  number: number
  data: Buffer
  isLast: boolean
}

/** A bucket takes 10,000 parts: later ones are larger, so that they hold all that an object may have. */
const partsOfASize = 1_000

export class Parts {
  readonly #sha256 = createHash('sha256')
  #crc32 = 0
  bytes = 0

  /** At least one; only the last is smaller than `partBytes`, and only a body without bytes has an empty one. */
  async *of(body: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Part> {
    let number = 1
    let held: Uint8Array[] = []
    let length = 0
    for await (const piece of body) {
      this.#count(piece)
      held.push(piece)
      length += piece.length
      for (let size = sizeOf(number, partBytes); length > size; size = sizeOf(number, partBytes)) {
        const data = Buffer.concat(held)
        yield { number, data: data.subarray(0, size), isLast: false }
        held = [data.subarray(size)]
        length -= size
        number++
      }
    }
    yield { number, data: Buffer.concat(held), isLast: true }
  }

  #count(piece: Uint8Array): void {
    this.#sha256.update(piece)
    this.#crc32 = crc32(piece, this.#crc32)
    this.bytes += piece.length
  }

  /** Once, as hex. */
  sha256(): string {
    return this.#sha256.digest('hex')
  }

  /** As the bucket writes it. */
  get checksum(): string {
    return crcText(this.#crc32)
  }
}

const sizeOf = (number: number, partBytes: number) => partBytes * 2 ** Math.floor((number - 1) / partsOfASize)

export function crcText(value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes.toString('base64')
}
