/** Builds pictures to upload, some with hidden or hostile content. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { Transformer } from '@napi-rs/image'

/** Draws a square of four colours, so that rotation and cropping are visible. */
export function drawPicture(width: number, height = width): Transformer {
  const pixels = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      pixels.set([x < width / 2 ? 220 : 20, y < height / 2 ? 200 : 30, 90, 255], (y * width + x) * 4)
  return Transformer.fromRgbaPixels(pixels, width, height)
}

export const png = (width = 64, height = width): Promise<Uint8Array> => drawPicture(width, height).png()
export const jpeg = (width = 64, height = width): Promise<Uint8Array> => drawPicture(width, height).jpeg(80)
export const webp = (width = 64, height = width): Promise<Uint8Array> => drawPicture(width, height).webp(80)

/** Adds an EXIF comment after the first marker, as a camera does. Its orientation is a quarter turn. */
export function withExif(file: Uint8Array, text: string): Uint8Array {
  const description = Buffer.from(`${text}\0`)
  const tiff = Buffer.alloc(8 + 2 + 12 * 2 + 4 + description.length)
  tiff.write('MM\0*', 0, 'latin1')
  tiff.writeUInt32BE(8, 4)
  tiff.writeUInt16BE(2, 8)
  tiff.writeUInt16BE(0x010e, 10)
  tiff.writeUInt16BE(2, 12)
  tiff.writeUInt32BE(description.length, 14)
  tiff.writeUInt32BE(38, 18)
  tiff.writeUInt16BE(0x0112, 22)
  tiff.writeUInt16BE(3, 24)
  tiff.writeUInt32BE(1, 26)
  tiff.writeUInt16BE(6, 30)
  description.copy(tiff, 38)
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff])
  const head = Buffer.from([0xff, 0xe1, 0, 0])
  head.writeUInt16BE(body.length + 2, 2)
  return Buffer.concat([file.subarray(0, 2), head, body, file.subarray(2)])
}

/** Returns a PNG whose header claims another size. */
export function claimSize(file: Uint8Array, width: number, height: number): Uint8Array {
  const copy = Buffer.from(file)
  copy.writeUInt32BE(width, 16)
  copy.writeUInt32BE(height, 20)
  return copy
}

/** Returns `count` zeros compressed by zlib (RFC 1950), without creating them in memory. */
export function deflateZeros(count: number): Buffer {
  const packedMillion = packZeros(1_000_000)
  const check = Buffer.alloc(4)
  check.writeUInt16BE(count % 65_521)
  check.writeUInt16BE(1, 2)
  const [head, end] = [Buffer.from([0x78, 0xda]), Buffer.from([3, 0])]
  const packedMillions = Array.from({ length: Math.floor(count / 1_000_000) }, () => packedMillion)
  return Buffer.concat([head, ...packedMillions, packZeros(count % 1_000_000), end, check])
}

/** Returns a block of compressed zeros that further blocks may follow. */
const packZeros = (count: number) =>
  deflateRawSync(Buffer.alloc(count), { level: 9, finishFlush: constants.Z_FULL_FLUSH })

interface PngHead {
  width: number
  height: number
  /** Bits per channel. */
  depth?: 1 | 8 | 16
  /** PNG colour type: 0 is grey, 6 is colour with transparency. */
  color?: 0 | 6
}

/** Returns a black PNG, which is well-formed for any values. `extraChunks` are inserted before its pixels. */
export function blackPng({ width, height, depth = 8, color = 6 }: PngHead, ...extraChunks: Buffer[]): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = depth
  head[9] = color
  const row = 1 + Math.ceil((width * depth * (color === 6 ? 4 : 1)) / 8)
  const pixels = deflateZeros(row * height)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([signature, pngChunk('IHDR', head), ...extraChunks, pngChunk('IDAT', pixels), pngChunk('IEND')])
}

export function pngChunk(kind: string, data: Uint8Array = new Uint8Array()): Buffer {
  const content = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(content))
  return Buffer.concat([length, content, checksum])
}

/**
 * Returns about 2 MB of a grey JPEG of 4096 by 4096 pixels that a decoder redraws tens of thousands of times: each pass over all blocks
 * takes only 40 bytes.
 */
export function buildEndlessJpeg(): Buffer {
  const segment = (marker: number, ...body: number[]) => {
    const size = body.length + 2
    return Buffer.from([0xff, marker, size >> 8, size & 0xff, ...body])
  }
  const lengths = [1, ...Array<number>(15).fill(0)]
  // The table has two codes of one bit: "no difference", and "the next 16384 blocks end here".
  const tables = segment(0xc4, 0x00, ...lengths, 0x00, 0x10, ...lengths, 0xe0)
  const blocks = 512 * 512
  const first = Buffer.concat([segment(0xda, 1, 1, 0x00, 0, 0, 0), Buffer.alloc(blocks / 8)])
  const pass = Buffer.concat([segment(0xda, 1, 1, 0x00, 1, 63, 0), Buffer.alloc(((blocks / 16_384) * 15) / 8)])
  const parts = [
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0x00, ...Array<number>(64).fill(1)),
    segment(0xc2, 8, 0x10, 0x00, 0x10, 0x00, 1, 1, 0x11, 0),
    tables,
    first,
    ...Array<Buffer>(48_000).fill(pass),
    Buffer.from([0xff, 0xd9]),
  ]
  return Buffer.concat(parts)
}

/** Returns a WebP that claims another size than its picture has. */
export function boxWebp(frame: Uint8Array, width: number, height: number): Buffer {
  const box = Buffer.alloc(18)
  box.write('VP8X', 0, 'latin1')
  box.writeUInt32LE(10, 4)
  box.writeUIntLE(width - 1, 12, 3)
  box.writeUIntLE(height - 1, 15, 3)
  const parts = Buffer.concat([Buffer.from('WEBP', 'latin1'), box, frame.subarray(12)])
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1')
  head.writeUInt32LE(parts.length, 4)
  return Buffer.concat([head, parts])
}

/** Returns a longer file that readers still decode to the same picture. */
export const padFile = (file: Uint8Array, bytes: number): Uint8Array =>
  Buffer.concat([file, Buffer.alloc(Math.max(0, bytes - file.length), 0x20)])

export interface FormFile {
  name?: string
  type?: string
  bytes: Uint8Array
}

export function buildFileForm(field: string, { name = 'me.png', type = 'image/png', bytes }: FormFile) {
  const boundary = 'portal-test-boundary'
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}
