/**
 * How many requests one client address and one service may have at a time and in a second, so that whoever uses their share up slows
 * nobody else. Kept in memory: addresses that have been quiet are forgotten.
 */
export interface ShareLimits {
  /** Requests at work. */
  maxConcurrent: number
  perSecond: number
  /** So many more at once after a pause. */
  burst: number
}

export const scaleShare = ({ maxConcurrent, perSecond, burst }: ShareLimits, factor: number): ShareLimits => ({
  maxConcurrent: maxConcurrent * factor,
  perSecond: perSecond * factor,
  burst: burst * factor,
})

interface ShareState {
  activeCount: number
  tokens: number
  /** Epoch ms of the last refill. */
  refilledAt: number
}

export interface RequestShare {
  /** False: it is used up, and nothing is counted. `cost`: what is dear counts as several requests. */
  claim(key: string, cost?: number): boolean
  /** A claim would not be granted now. */
  isUsedUp(key: string): boolean
  /** Once for each claim that was granted. */
  release(key: string): void
}

/** Far more than are at work at a time: older ones are forgotten. */
const maxKeys = 20_000

export function createRequestShare(limits: ShareLimits, clock: () => number = Date.now): RequestShare {
  /** The key that was used last is the last. */
  const shares = new Map<string, ShareState>()

  function refillShare(key: string): ShareState {
    const now = clock()
    const share = shares.get(key) ?? { activeCount: 0, tokens: limits.burst, refilledAt: now }
    const seconds = Math.max(0, now - share.refilledAt) / 1000
    share.tokens = Math.min(limits.burst, share.tokens + seconds * limits.perSecond)
    share.refilledAt = now
    shares.delete(key)
    shares.set(key, share)
    return share
  }

  function forgetOldest(): void {
    for (const [key, { activeCount }] of shares) {
      if (shares.size <= maxKeys) return
      if (activeCount === 0) shares.delete(key)
    }
  }

  const isEmpty = ({ activeCount, tokens }: ShareState) => activeCount >= limits.maxConcurrent || tokens < 1

  return {
    isUsedUp: (key) => isEmpty(refillShare(key)),
    claim(key, cost = 1) {
      const share = refillShare(key)
      if (shares.size > maxKeys) forgetOldest()
      if (isEmpty(share)) return false
      share.activeCount += 1
      // May go below zero: the next ones wait for longer.
      share.tokens -= cost
      return true
    },
    release(key) {
      const share = shares.get(key)
      if (share) share.activeCount -= 1
    },
  }
}
