import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyKey,
  type PictureCrop,
  maxZoom,
  moveCrop,
  toPicturePosition,
  getCropSide,
  type PictureSize,
  createFullCrop,
  zoomCrop,
} from '#features/profile/crop.ts'

const wideSize = { width: 400, height: 200 }

describe('the crop of a picture', () => {
  it('starts as the largest square in the middle', () => {
    expect(createFullCrop(wideSize)).toEqual({ x: 200, y: 100, zoom: 1 })
    expect(getCropSide(wideSize, createFullCrop(wideSize))).toBe(200)
    expect(toPicturePosition(wideSize, createFullCrop(wideSize))).toEqual({ left: -0.5, top: 0, width: 2, height: 1 })
  })

  it('follows the pointer, but stops at the edge', () => {
    expect(moveCrop(wideSize, createFullCrop(wideSize), 0.25, 0)).toMatchObject({ x: 150, y: 100 })
    expect(moveCrop(wideSize, createFullCrop(wideSize), 9, 9)).toMatchObject({ x: 100, y: 100 })
  })

  it('is enlarged by a factor of one to five', () => {
    expect(zoomCrop(wideSize, createFullCrop(wideSize), 2)).toEqual({ x: 200, y: 100, zoom: 2 })
    expect(zoomCrop(wideSize, createFullCrop(wideSize), 99).zoom).toBe(maxZoom)
    expect(zoomCrop(wideSize, createFullCrop(wideSize), 0).zoom).toBe(1)
    // A crop at an edge is moved back into the picture when it is zoomed out.
    const cornerCrop = moveCrop(wideSize, zoomCrop(wideSize, createFullCrop(wideSize), 5), 99, 99)
    expect(zoomCrop(wideSize, cornerCrop, 1)).toEqual({ x: 100, y: 100, zoom: 1 })
  })

  it('is moved and enlarged by keys, and ignores other keys (A-05)', () => {
    expect(applyKey(wideSize, createFullCrop(wideSize), 'ArrowRight')).toMatchObject({ x: 190 })
    expect(applyKey(wideSize, createFullCrop(wideSize), 'ArrowLeft')).toMatchObject({ x: 210 })
    expect(applyKey(wideSize, createFullCrop(wideSize), '+')?.zoom).toBeCloseTo(1.1)
    expect(applyKey(wideSize, createFullCrop(wideSize), '-')?.zoom).toBe(1)
    expect(['Tab', 'Escape', 'a'].map((key) => applyKey(wideSize, createFullCrop(wideSize), key))).toEqual([
      null,
      null,
      null,
    ])
  })

  it('never leaves the picture, for any sequence of actions', () => {
    const size = fc.record({ width: fc.integer({ min: 1, max: 9000 }), height: fc.integer({ min: 1, max: 9000 }) })
    const shift = fc.double({ min: -20, max: 20, noNaN: true })
    const cropAction = fc.oneof(
      fc.tuple(shift, shift).map(
        ([x, y]) =>
          (pictureSize: PictureSize, crop: PictureCrop) =>
            moveCrop(pictureSize, crop, x, y),
      ),
      fc
        .double({ min: 0, max: 9, noNaN: true })
        .map((zoom) => (pictureSize: PictureSize, crop: PictureCrop) => zoomCrop(pictureSize, crop, zoom)),
    )
    fc.assert(
      fc.property(size, fc.array(cropAction, { maxLength: 20 }), (pictureSize, cropActions) => {
        const { x, y, ...crop } = cropActions.reduce(
          (currentCrop, applyAction) => applyAction(pictureSize, currentCrop),
          createFullCrop(pictureSize),
        )
        const half = getCropSide(pictureSize, { x, y, ...crop }) / 2
        expect(half).toBeGreaterThan(0)
        for (const [centre, maxCoordinate] of [
          [x, pictureSize.width],
          [y, pictureSize.height],
        ] as const) {
          expect(centre - half).toBeGreaterThanOrEqual(-1e-6)
          expect(centre + half).toBeLessThanOrEqual(maxCoordinate + 1e-6)
        }
      }),
    )
  })
})
