/**
 * Splits the log that the Docker Engine API sends into frames: one byte for the stream, three zero bytes, four bytes for the length, and the
 * text. Frames may be cut anywhere between two chunks.
 */
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'

/** 1 is standard output, 2 standard error, 3 a message of the platform. */
export type LogStream = 1 | 2 | 3

export interface LogFrame {
  stream: LogStream
  /** Up to `maxStoredBytes` bytes from the beginning of the text. */
  text: Buffer
  /** Length in bytes of the complete text. */
  length: number
  /** False if the line continues in the next frame of the same stream. */
  endsLine: boolean
}

const headerBytes = 8
/** The platform sends at most 16 KB of a line per frame. Other sizes are tolerated up to a limit, because log drivers may differ. */
const maxFrameBytes = 16 * 2 ** 20
const maxStoredBytes = 64 * 1024
const lineFeed = 0x0a

/** Throws `unreachable` for a malformed header and for a log that ends inside a frame. */
export async function* readLogFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogFrame> {
  let header: Buffer = Buffer.alloc(0)
  let frame: FrameReader | null = null
  for await (const bytes of chunks) {
    let chunk: Buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    while (chunk.length > 0) {
      if (frame === null) {
        const missing = headerBytes - header.length
        header = header.length === 0 ? chunk.subarray(0, missing) : Buffer.concat([header, chunk.subarray(0, missing)])
        chunk = chunk.subarray(missing)
        if (header.length < headerBytes) break
        frame = createFrameReader(header)
        header = Buffer.alloc(0)
      }
      chunk = frame.add(chunk)
      if (frame.isComplete()) {
        yield frame.getFrame()
        frame = null
      }
    }
  }
  if (frame !== null || header.length > 0)
    throw new HostingError('unreachable', 'The platform has sent an incomplete log: it ends inside a line.')
}

interface FrameReader {
  /** Returns the bytes after the frame. */
  add(chunk: Buffer): Buffer
  isComplete(): boolean
  getFrame(): LogFrame
}

function createFrameReader(header: Buffer): FrameReader {
  const stream = header.readUInt8(0)
  const length = header.readUInt32BE(4)
  if (!isLogStream(stream) || header.readUIntBE(1, 3) !== 0 || length > maxFrameBytes)
    throw new HostingError('unreachable', 'The platform has sent a log in an unknown format.')
  let missing = length
  let storedBytes = 0
  let lastByte = 0
  const parts: Buffer[] = []
  return {
    add(chunk) {
      const part = chunk.subarray(0, missing)
      missing -= part.length
      lastByte = part.at(-1) ?? lastByte
      const stored = part.subarray(0, maxStoredBytes - storedBytes)
      storedBytes += stored.length
      if (stored.length > 0) parts.push(stored)
      return chunk.subarray(part.length)
    },
    isComplete: () => missing === 0,
    getFrame() {
      const [first] = parts
      const text = first !== undefined && parts.length === 1 ? first : Buffer.concat(parts)
      return { stream, text, length, endsLine: lastByte === lineFeed }
    },
  }
}

const isLogStream = (value: number): value is LogStream => value === 1 || value === 2 || value === 3
