/** Reads PNG files of icons: 8 bits per channel, RGB or RGBA, not interlaced, as Chromium writes them. */
import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'

export interface PngPicture {
  width: number
  height: number
  /** Returns red, green, blue and alpha, each from 0 to 255. */
  getPixel(x: number, y: number): readonly [number, number, number, number]
}

/** Returns width and height in pixels. Reads only the header. */
export function readPngSize(file: string): { width: number; height: number } {
  const bytes = readFileSync(file)
  if (bytes.toString('latin1', 1, 4) !== 'PNG') throw new Error(`${file} is no PNG`)
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function listChunks(bytes: Buffer, type: string): Buffer[] {
  const chunks: Buffer[] = []
  for (let offset = 8; offset < bytes.length; ) {
    const length = bytes.readUInt32BE(offset)
    if (bytes.toString('latin1', offset + 4, offset + 8) === type)
      chunks.push(bytes.subarray(offset + 8, offset + 8 + length))
    offset += 12 + length
  }
  return chunks
}

/** PNG filter 4: returns the neighbour closest to left + above - corner. */
function paeth(left: number, above: number, corner: number) {
  const estimate = left + above - corner
  const [a, b, c] = [left, above, corner].map((value) => Math.abs(estimate - value)) as [number, number, number]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

const predictors = [
  () => 0,
  (left: number) => left,
  (_left: number, above: number) => above,
  (left: number, above: number) => (left + above) >> 1,
  paeth,
]

export function readPng(file: string): PngPicture {
  const { width, height } = readPngSize(file)
  const bytes = readFileSync(file)
  const [depth, colour, , , interlaced] = bytes.subarray(24, 29)
  const channels = colour === 6 ? 4 : 3
  if (depth !== 8 || (colour !== 6 && colour !== 2) || interlaced) throw new Error(`${file}: a PNG of another kind`)
  const raw = inflateSync(Buffer.concat(listChunks(bytes, 'IDAT')))
  const stride = width * channels
  const pixels = new Uint8Array(stride * height)
  for (let y = 0; y < height; y++) {
    const predictPixel = predictors[raw[y * (stride + 1)] ?? 0] ?? (() => 0)
    for (let x = 0; x < stride; x++) {
      const index = y * stride + x
      const left = x >= channels ? (pixels[index - channels] ?? 0) : 0
      const above = y > 0 ? (pixels[index - stride] ?? 0) : 0
      const corner = x >= channels && y > 0 ? (pixels[index - stride - channels] ?? 0) : 0
      pixels[index] = (raw[y * (stride + 1) + 1 + x] ?? 0) + predictPixel(left, above, corner)
    }
  }
  return {
    width,
    height,
    getPixel(x, y) {
      const start = (y * width + x) * channels
      const [r = 0, g = 0, b = 0, a = 255] = pixels.subarray(start, start + channels)
      return [r, g, b, a]
    },
  }
}
