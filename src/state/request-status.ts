/** Where an asking stands: one word, and what went wrong beside the only one that needs it. */
import type { Problem } from '#contract/problem.ts'

export type Status = { kind: 'idle' } | { kind: 'sending' } | { kind: 'queued' } | { kind: 'failed'; problem: Problem }

export const idle: Status = { kind: 'idle' }
export const problemOf = (status: Status): Problem | null => (status.kind === 'failed' ? status.problem : null)
