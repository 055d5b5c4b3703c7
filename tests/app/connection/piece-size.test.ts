import { expect, it } from 'vitest'
import { createPieceSize, pieceLimits } from '#app/connection/piece-size.ts'

/** Sends pieces to a server that refuses more than `maxBytes` bytes. Returns the size of each attempt in KiB. */
function sendPieces(pieceCount: number, maxBytes: number): number[] {
  const pieceSize = createPieceSize()
  return Array.from({ length: pieceCount }, () => {
    const byteCount = pieceSize.bytes
    if (byteCount <= maxBytes) pieceSize.onAccepted(byteCount)
    else pieceSize.onRefused()
    return byteCount / 1024
  })
}

it('The piece size starts at 512 KiB and grows while pieces are accepted (fault 25a)', () => {
  expect(sendPieces(6, Number.POSITIVE_INFINITY)).toEqual([512, 1024, 2048, 4096, 4096, 4096])
})

it('The piece size falls to the accepted size after a refusal and stays there (fault 25b)', () => {
  expect(sendPieces(6, 1024 * 1024)).toEqual([512, 1024, 2048, 1024, 1024, 1024])
  expect(sendPieces(8, 100 * 1024)).toEqual([512, 256, 128, 64, 64, 64, 64, 64])
})

it('The upload gives up if the smallest piece is refused too (fault 25b)', () => {
  const pieceSize = createPieceSize()
  while (pieceSize.bytes > pieceLimits.min) expect(pieceSize.onRefused()).toBe(true)
  expect(pieceSize.onRefused()).toBe(false)
})

it('The piece size is halved after a broken connection, until a piece is accepted (fault 25b)', () => {
  const pieceSize = createPieceSize()
  pieceSize.onBroken()
  expect(pieceSize.bytes).toBe(256 * 1024)
  pieceSize.onAccepted(100)
  expect(pieceSize.bytes).toBe(256 * 1024)
  pieceSize.onAccepted(pieceSize.bytes)
  expect(pieceSize.bytes).toBe(512 * 1024)
})
