/**
 * Refuses bodies that are received in many small pieces. A small piece costs as much as a large one: a megabyte of single bytes took
 * seconds (decision 59). The portal's clients never send such bodies, and the pieces of networks and proxies are much larger.
 */
import type { IncomingMessage } from 'node:http'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import { inputLimits } from '#server/config/input-limits.ts'
import { createValidationProblem, type ProblemError } from '#server/problems/problem-error.ts'

/** Call this when reading begins, because its listener makes the body flow. `refuse` is called at most once. */
export function countPieces(raw: IncomingMessage, refuse: (problem: ProblemError) => void): void {
  const { count: maxCount, bytes: minBytes } = inputLimits.pieces
  let count = 0
  let bytes = 0
  const onPiece = (piece: Buffer) => {
    count += 1
    bytes += piece.length
    if (count <= maxCount || bytes >= count * minBytes) return
    raw.off('data', onPiece)
    const problem: FieldProblem = { field: '', code: 'TOO_MANY', limit: maxCount }
    refuse(createValidationProblem([problem]))
  }
  raw.on('data', onPiece)
}
