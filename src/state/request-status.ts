import type { Problem } from '#contract/problem.ts'

export type RequestStatus =
  | { kind: 'idle' }
  | { kind: 'sending' }
  | { kind: 'queued' }
  | { kind: 'failed'; problem: Problem }

export const idleStatus: RequestStatus = { kind: 'idle' }
export const getStatusProblem = (status: RequestStatus): Problem | null =>
  status.kind === 'failed' ? status.problem : null
