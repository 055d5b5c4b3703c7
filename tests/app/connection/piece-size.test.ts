import { expect, it } from 'vitest'
import { createPieceSize, pieceLimits } from '#app/connection/piece-size.ts'

/** Sends so many pieces past something that refuses more than `maxBytes` bytes; the sizes that were tried. */
function sendPieces(pieceCount: number, maxBytes: number): number[] {
  const pieceSize = createPieceSize()
  return Array.from({ length: pieceCount }, () => {
    const byteCount = pieceSize.bytes
    if (byteCount <= maxBytes) pieceSize.onAccepted(byteCount)
    else pieceSize.onRefused()
    return byteCount / 1024
  })
}

it('fault 25a pieces begin with 512 KiB and grow while they are accepted', () => {
  expect(sendPieces(6, Number.POSITIVE_INFINITY)).toEqual([512, 1024, 2048, 4096, 4096, 4096])
})

it('fault 25b after a refusal they are as small as what was accepted, and stay so', () => {
  expect(sendPieces(6, 1024 * 1024)).toEqual([512, 1024, 2048, 1024, 1024, 1024])
  expect(sendPieces(8, 100 * 1024)).toEqual([512, 256, 128, 64, 64, 64, 64, 64])
})

it('fault 25b what refuses the smallest piece too is not tried for ever', () => {
  const pieceSize = createPieceSize()
  while (pieceSize.bytes > pieceLimits.min) expect(pieceSize.onRefused()).toBe(true)
  expect(pieceSize.onRefused()).toBe(false)
})

it('fault 25b a connection that broke makes the next piece smaller, for a while', () => {
  const pieceSize = createPieceSize()
  pieceSize.onBroken()
  expect(pieceSize.bytes).toBe(256 * 1024)
  pieceSize.onAccepted(100)
  expect(pieceSize.bytes).toBe(256 * 1024)
  pieceSize.onAccepted(pieceSize.bytes)
  expect(pieceSize.bytes).toBe(512 * 1024)
})
