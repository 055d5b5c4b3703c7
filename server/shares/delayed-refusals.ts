/**
 * Delays refusals by `delayMs`, so that a client that keeps sending requests gets at most one response per `delayMs` on each connection.
 */
import type { ServerResponse } from 'node:http'

export interface RefusalLimits {
  delayMs: number
  /**
   * Maximum number of waiting refusals. Above it, refusals are sent without delay. Null if connections, and so refusals, are limited by
   * address.
   */
  maxWaiting: number | null
}

export function createDelayedRefusals({ delayMs, maxWaiting }: RefusalLimits) {
  let waitingCount = 0
  return (response: ServerResponse, sendRefusal: () => void): void => {
    if (maxWaiting !== null && waitingCount >= maxWaiting) return sendRefusal()
    waitingCount += 1
    const timer = setTimeout(sendRefusal, delayMs)
    response.on('close', () => {
      clearTimeout(timer)
      waitingCount -= 1
    })
  }
}
