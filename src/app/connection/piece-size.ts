/**
 * Limits of a piece, in bytes. Proxies may refuse large bodies (nginx: over 1 MiB), so pieces start small, then double, and halve if
 * refused.
 */
const kib = 1024
export const pieceLimits = { first: 512 * kib, min: 64 * kib, max: 4096 * kib } as const

export interface PieceSize {
  /** Size of the next piece, in bytes. */
  readonly bytes: number
  /** Called when a piece was accepted. A shorter last piece does not change the size. */
  onAccepted(bytes: number): void
  /** Returns false if the size cannot be reduced further. */
  onRefused(): boolean
  /** Called when the connection broke during a piece. Some proxies close the connection instead of refusing the piece. */
  onBroken(): void
}

export function createPieceSize(): PieceSize {
  let pieceSize: number = pieceLimits.first
  let max: number = pieceLimits.max
  const shrink = () => {
    pieceSize = Math.max(pieceLimits.min, Math.floor(pieceSize / 2))
  }
  return {
    get bytes() {
      return pieceSize
    },
    onAccepted(bytes) {
      if (bytes >= pieceSize) pieceSize = Math.min(max, pieceSize * 2)
    },
    onRefused() {
      if (pieceSize <= pieceLimits.min) return false
      shrink()
      max = pieceSize
      return true
    },
    onBroken: shrink,
  }
}
