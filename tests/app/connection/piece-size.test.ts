import { expect, it } from 'vitest'
import { createPieceSize, pieceLimits } from '#app/connection/piece-size.ts'

/** Sends so many pieces past something that refuses more than `limit` bytes; the sizes that were tried. */
function send(pieces: number, limit: number): number[] {
  const size = createPieceSize()
  return Array.from({ length: pieces }, () => {
    const tried = size.bytes
    if (tried <= limit) size.accepted(tried)
    else size.refused()
    return tried / 1024
  })
}

it('fault 25a pieces begin with 512 KiB and grow while they are accepted', () => {
  expect(send(6, Number.POSITIVE_INFINITY)).toEqual([512, 1024, 2048, 4096, 4096, 4096])
})

it('fault 25b after a refusal they are as small as what was accepted, and stay so', () => {
  expect(send(6, 1024 * 1024)).toEqual([512, 1024, 2048, 1024, 1024, 1024])
  expect(send(8, 100 * 1024)).toEqual([512, 256, 128, 64, 64, 64, 64, 64])
})

it('fault 25b what refuses the smallest piece too is not tried for ever', () => {
  const size = createPieceSize()
  while (size.bytes > pieceLimits.min) expect(size.refused()).toBe(true)
  expect(size.refused()).toBe(false)
})

it('fault 25b a connection that broke makes the next piece smaller, for a while', () => {
  const size = createPieceSize()
  size.broke()
  expect(size.bytes).toBe(256 * 1024)
  size.accepted(100)
  expect(size.bytes).toBe(256 * 1024)
  size.accepted(size.bytes)
  expect(size.bytes).toBe(512 * 1024)
})
