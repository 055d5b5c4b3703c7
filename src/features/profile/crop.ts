/** The square part of a picture that is shown: its middle, in the picture's own pixels, and how far it is enlarged. */
export interface Size {
  width: number
  height: number
}

export interface Crop {
  x: number
  y: number
  /** 1: as much as there is of the shorter side. */
  zoom: number
}

export const maxZoom = 5

/** Side of the part, in the picture's pixels. */
export const sideOf = ({ width, height }: Size, { zoom }: Crop): number => Math.min(width, height) / zoom

export const whole = ({ width, height }: Size): Crop => ({ x: width / 2, y: height / 2, zoom: 1 })

const between = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most)

/** Never beyond the picture's edges. */
export function within(size: Size, { x, y, zoom }: Crop): Crop {
  const near = between(zoom, 1, maxZoom)
  const half = sideOf(size, { x, y, zoom: near }) / 2
  return { x: between(x, half, size.width - half), y: between(y, half, size.height - half), zoom: near }
}

/** `right` and `down`: how far the picture is pushed, as parts of the frame's side. */
export function moved(size: Size, crop: Crop, right: number, down: number): Crop {
  const side = sideOf(size, crop)
  return within(size, { ...crop, x: crop.x - right * side, y: crop.y - down * side })
}

export const zoomed = (size: Size, crop: Crop, zoom: number): Crop => within(size, { ...crop, zoom })

/** One press of a key. */
const step = 0.05
const zoomStep = 1.1

/** What a key does; null: nothing. The picture follows the arrow, as it follows the finger. */
export function byKey(size: Size, crop: Crop, key: string): Crop | null {
  if (key === 'ArrowLeft') return moved(size, crop, -step, 0)
  if (key === 'ArrowRight') return moved(size, crop, step, 0)
  if (key === 'ArrowUp') return moved(size, crop, 0, -step)
  if (key === 'ArrowDown') return moved(size, crop, 0, step)
  if (key === '+' || key === '=') return zoomed(size, crop, crop.zoom * zoomStep)
  if (key === '-' || key === '_') return zoomed(size, crop, crop.zoom / zoomStep)
  return null
}

/** Where the picture lies under a frame of side 1. */
export function placeOf(size: Size, crop: Crop): { left: number; top: number; width: number; height: number } {
  const side = sideOf(size, crop)
  return {
    left: 0.5 - crop.x / side,
    top: 0.5 - crop.y / side,
    width: size.width / side,
    height: size.height / side,
  }
}
