/** Whoever asks without end is answered once a second on each of their connections. */
import type { ServerResponse } from 'node:http'

export interface RefusalLimits {
  delayMs: number
  /** How many refusals may wait; null: connections are limited by address, and refusals with them. */
  maxWaiting: number | null
}

/** `sendRefusal`: the refusal itself, which ends the connection. */
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
