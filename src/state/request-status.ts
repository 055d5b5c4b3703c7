/** Where an asking stands: one word, and what went wrong beside the only one that needs it. */
import type { Problem } from '#contract/problem.ts'

export type Status = { is: 'idle' } | { is: 'sending' } | { is: 'queued' } | { is: 'failed'; problem: Problem }

export const idle: Status = { is: 'idle' }
export const problemOf = (status: Status): Problem | null => (status.is === 'failed' ? status.problem : null)
