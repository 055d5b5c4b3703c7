import { buildErrorBody } from '#server/problems/problem-body.ts'
import type { UnreadyReason } from '#server/use-cases/readiness.ts'

export const healthPaths = { live: '/health/live', ready: '/health/ready' } as const

export interface HealthResponse {
  status: number
  headers: Record<string, string>
  body: string
}

export const liveResponse: HealthResponse = { status: 200, headers: {}, body: '{"status":"live"}' }

export const buildReadyResponse = (reason: UnreadyReason | null): HealthResponse =>
  reason === null
    ? { status: 200, headers: {}, body: '{"status":"ready"}' }
    : {
        status: 503,
        headers: { 'retry-after': '5' },
        body: JSON.stringify({ ...buildErrorBody('UNAVAILABLE', null, 'en'), reason }),
      }
