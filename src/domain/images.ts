/** portal 5 and 9: smaller than 2 MB, where 1 MB is 1024 × 1024 bytes. */
export const maxImageBytes = 2 * 1024 * 1024
export const isSmallEnough = (bytes: number): boolean => bytes < maxImageBytes

/** Side of stored pictures, which are squares, in pixels. */
export const avatarSide = 512

/** Maximum number of decoded pixels: a 16-megapixel photo, which needs 64 MB of memory. */
export const maxPixels = 16 * 1024 * 1024

/** Maximum ratio of the sides. Pictures are scaled before cropping, so a thin strip would become huge. */
export const maxAspect = 10

export type ImageFormat = 'png' | 'jpeg' | 'webp'

export interface ImageSize {
  format: ImageFormat
  width: number
  height: number
}

const startsWithBytes = (bytes: Uint8Array, start: number, ...expectedBytes: number[]) =>
  expectedBytes.every((expected, offset) => bytes[start + offset] === expected)

const createView = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Reads the file header, so that a huge picture is never decoded. Returns null for other formats. */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  try {
    return readPngSize(bytes) ?? readWebpSize(bytes) ?? readJpegSize(bytes)
  } catch {
    // The file ends within its header.
    return null
  }
}

function readPngSize(bytes: Uint8Array): ImageSize | null {
  if (
    !startsWithBytes(bytes, 0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) ||
    !startsWithBytes(bytes, 12, 0x49, 0x48, 0x44, 0x52)
  )
    return null
  return { format: 'png', width: createView(bytes).getUint32(16), height: createView(bytes).getUint32(20) }
}

function readWebpSize(bytes: Uint8Array): ImageSize | null {
  if (!startsWithBytes(bytes, 0, 0x52, 0x49, 0x46, 0x46) || !startsWithBytes(bytes, 8, 0x57, 0x45, 0x42, 0x50))
    return null
  const data = createView(bytes)
  const chunkType = String.fromCharCode(...bytes.subarray(12, 16))
  if (chunkType === 'VP8 ') return toWebpSize(data.getUint16(26, true) & 0x3fff, data.getUint16(28, true) & 0x3fff)
  if (chunkType === 'VP8L') {
    const bits = data.getUint32(21, true)
    return toWebpSize((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
  }
  if (chunkType !== 'VP8X') return null
  // 24 bits each, little-endian.
  const width = data.getUint16(24, true) | ((bytes[26] ?? 0) << 16)
  const height = data.getUint16(27, true) | ((bytes[29] ?? 0) << 16)
  return toWebpSize(width + 1, height + 1)
}
const toWebpSize = (width: number, height: number): ImageSize => ({ format: 'webp', width, height })

/** Skips segments until the frame header, which may follow long comments. */
function readJpegSize(bytes: Uint8Array): ImageSize | null {
  if (!startsWithBytes(bytes, 0, 0xff, 0xd8, 0xff)) return null
  const data = createView(bytes)
  for (let offset = 2; offset + 9 < bytes.length; ) {
    if (bytes[offset] !== 0xff) return null
    const marker = bytes[offset + 1] ?? 0
    if (marker === 0xff) offset += 1
    else if (isFrame(marker))
      return { format: 'jpeg', height: data.getUint16(offset + 5), width: data.getUint16(offset + 7) }
    else offset += 2 + Math.max(2, data.getUint16(offset + 2))
  }
  return null
}

/** SOF0 to SOF15, except three other markers in that range. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
