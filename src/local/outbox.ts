/** Waiting writes. */
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { WaitingState } from '#local/view.ts'

export interface Waiting {
  intent: Intent
  /** Name of the endpoint. */
  endpoint: string
  table: string
  makes: 'create' | 'change' | 'delete'
  state: WaitingState
  /** Epoch ms by this device's clock. */
  since: number
  attempts: number
  problem: Problem | null
}

/** Writes of the session's user that the server has not accepted yet, those waiting for a decision included. */
export declare function countWaiting(): Promise<number>
/** The same, in the order they were made. */
export declare function readEntries(): Promise<Waiting[]>
