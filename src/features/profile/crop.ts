/** Calculates the visible square of a picture: its centre in pixels of the picture, and its zoom. */
export interface PictureSize {
  width: number
  height: number
}

export interface PictureCrop {
  x: number
  y: number
  /** With 1, the square is as large as the shorter side. */
  zoom: number
}

export const maxZoom = 5

/** Returns the side of the square, in pixels of the picture. */
export const getCropSide = ({ width, height }: PictureSize, { zoom }: PictureCrop): number =>
  Math.min(width, height) / zoom

export const createFullCrop = ({ width, height }: PictureSize): PictureCrop => ({
  x: width / 2,
  y: height / 2,
  zoom: 1,
})

const clamp = (value: number, min: number, max: number) => Math.min(Math.max(value, min), max)

export function limitCrop(size: PictureSize, { x, y, zoom }: PictureCrop): PictureCrop {
  const limitedZoom = clamp(zoom, 1, maxZoom)
  const halfSide = getCropSide(size, { x, y, zoom: limitedZoom }) / 2
  return {
    x: clamp(x, halfSide, size.width - halfSide),
    y: clamp(y, halfSide, size.height - halfSide),
    zoom: limitedZoom,
  }
}

/** Moves the picture. `right` and `down` are fractions of the frame's side. */
export function moveCrop(size: PictureSize, crop: PictureCrop, right: number, down: number): PictureCrop {
  const side = getCropSide(size, crop)
  return limitCrop(size, { ...crop, x: crop.x - right * side, y: crop.y - down * side })
}

export const zoomCrop = (size: PictureSize, crop: PictureCrop, zoom: number): PictureCrop =>
  limitCrop(size, { ...crop, zoom })

const keyStep = 0.05
const zoomStep = 1.1

/** Applies a key. Returns null if the key has no function. The picture moves in the direction of the arrow. */
export function applyKey(size: PictureSize, crop: PictureCrop, key: string): PictureCrop | null {
  if (key === 'ArrowLeft') return moveCrop(size, crop, -keyStep, 0)
  if (key === 'ArrowRight') return moveCrop(size, crop, keyStep, 0)
  if (key === 'ArrowUp') return moveCrop(size, crop, 0, -keyStep)
  if (key === 'ArrowDown') return moveCrop(size, crop, 0, keyStep)
  if (key === '+' || key === '=') return zoomCrop(size, crop, crop.zoom * zoomStep)
  if (key === '-' || key === '_') return zoomCrop(size, crop, crop.zoom / zoomStep)
  return null
}

export function toPicturePosition(
  size: PictureSize,
  crop: PictureCrop,
): { left: number; top: number; width: number; height: number } {
  const side = getCropSide(size, crop)
  return {
    left: 0.5 - crop.x / side,
    top: 0.5 - crop.y / side,
    width: size.width / side,
    height: size.height / side,
  }
}
