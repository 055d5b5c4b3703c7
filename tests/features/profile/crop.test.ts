import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byKey, type Crop, maxZoom, moved, placeOf, sideOf, type Size, whole, zoomed } from '#features/profile/crop.ts'

const wide = { width: 400, height: 200 }

describe('the part of a picture that is shown', () => {
  it('begins as the largest square in the middle', () => {
    expect(whole(wide)).toEqual({ x: 200, y: 100, zoom: 1 })
    expect(sideOf(wide, whole(wide))).toBe(200)
    expect(placeOf(wide, whole(wide))).toEqual({ left: -0.5, top: 0, width: 2, height: 1 })
  })

  it('follows the finger, and goes no further than the edge', () => {
    expect(moved(wide, whole(wide), 0.25, 0)).toMatchObject({ x: 150, y: 100 })
    expect(moved(wide, whole(wide), 9, 9)).toMatchObject({ x: 100, y: 100 })
  })

  it('is enlarged between once and five times', () => {
    expect(zoomed(wide, whole(wide), 2)).toEqual({ x: 200, y: 100, zoom: 2 })
    expect(zoomed(wide, whole(wide), 99).zoom).toBe(maxZoom)
    expect(zoomed(wide, whole(wide), 0).zoom).toBe(1)
    // Shrunk again at an edge, it is pushed back in.
    const corner = moved(wide, zoomed(wide, whole(wide), 5), 99, 99)
    expect(zoomed(wide, corner, 1)).toEqual({ x: 100, y: 100, zoom: 1 })
  })

  it('is moved and enlarged by keys; other keys are left alone (A-05)', () => {
    expect(byKey(wide, whole(wide), 'ArrowRight')).toMatchObject({ x: 190 })
    expect(byKey(wide, whole(wide), 'ArrowLeft')).toMatchObject({ x: 210 })
    expect(byKey(wide, whole(wide), '+')?.zoom).toBeCloseTo(1.1)
    expect(byKey(wide, whole(wide), '-')?.zoom).toBe(1)
    expect(['Tab', 'Escape', 'a'].map((key) => byKey(wide, whole(wide), key))).toEqual([null, null, null])
  })

  it('never leaves the picture, whatever is done to it', () => {
    const size = fc.record({ width: fc.integer({ min: 1, max: 9000 }), height: fc.integer({ min: 1, max: 9000 }) })
    const push = fc.double({ min: -20, max: 20, noNaN: true })
    const deed = fc.oneof(
      fc.tuple(push, push).map(
        ([x, y]) =>
          (of: Size, crop: Crop) =>
            moved(of, crop, x, y),
      ),
      fc.double({ min: 0, max: 9, noNaN: true }).map((zoom) => (of: Size, crop: Crop) => zoomed(of, crop, zoom)),
    )
    fc.assert(
      fc.property(size, fc.array(deed, { maxLength: 20 }), (of, deeds) => {
        const { x, y, ...crop } = deeds.reduce((now, act) => act(of, now), whole(of))
        const half = sideOf(of, { x, y, ...crop }) / 2
        expect(half).toBeGreaterThan(0)
        for (const [at, most] of [
          [x, of.width],
          [y, of.height],
        ] as const) {
          expect(at - half).toBeGreaterThanOrEqual(-1e-6)
          expect(at + half).toBeLessThanOrEqual(most + 1e-6)
        }
      }),
    )
  })
})
