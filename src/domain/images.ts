/** Pictures of users: how large a file may be, and which formats are one. */

/** portal 5 and 9: smaller than 2 MB, which is what 2 × 1024 × 1024 bytes are called there. */
export const maxImageBytes = 2 * 1024 * 1024
export const isSmallEnough = (bytes: number): boolean => bytes < maxImageBytes

/** What is kept is a square of this many pixels a side. */
export const avatarSide = 512

/** So many pixels are decoded at most: what a camera of 16 megapixels makes, 64 MB in memory. */
export const maxPixels = 16 * 1024 * 1024

/** Long side to short side at most: the square is cut after scaling, which a strip of one pixel would make as large as it likes. */
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

/**
 * Format and size by the file's own head, so that a flood of pixels is refused before any is decoded. Null: none of the
 * three, whatever name or type it came under.
 */
export function readImageSize(bytes: Uint8Array): ImageSize | null {
  try {
    return readPngSize(bytes) ?? readWebpSize(bytes) ?? readJpegSize(bytes)
  } catch {
    // Ends within its head.
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
  // 24 bits each, little end first.
  const width = data.getUint16(24, true) | ((bytes[26] ?? 0) << 16)
  const height = data.getUint16(27, true) | ((bytes[29] ?? 0) << 16)
  return toWebpSize(width + 1, height + 1)
}
const toWebpSize = (width: number, height: number): ImageSize => ({ format: 'webp', width, height })

/** From segment to segment to the frame's head, which may stand behind long comments. */
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

/** SOF0 to SOF15 but for the three that are something else. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
