/**
 * How large the pieces of an upload are. What stands in front of the server may refuse large bodies (nginx: more than 1 MiB), so
 * they begin small, double while they are accepted, and halve when one is refused.
 */
const kib = 1024
export const pieceLimits = { first: 512 * kib, min: 64 * kib, max: 4096 * kib } as const

export interface PieceSize {
  /** In bytes. */
  readonly bytes: number
  /** A piece was taken. A last one that is shorter says nothing. */
  onAccepted(bytes: number): void
  /** False: it is as small as it gets. */
  onRefused(): boolean
  /** The connection broke in one. Some proxies close it instead of answering. */
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
