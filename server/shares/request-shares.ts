/**
 * Limits requests per key, such as a client address or a service. The counts are in memory. The oldest keys without active requests are
 * removed.
 */
export interface ShareLimits {
  maxConcurrent: number
  perSecond: number
  /** Maximum number of requests without a wait after a pause. */
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
  /** Returns false if the share is used up, and then counts nothing. An expensive request counts as `cost` requests. */
  claim(key: string, cost?: number): boolean
  isUsedUp(key: string): boolean
  /** Call it once for each granted claim. */
  release(key: string): void
}

/**
 * Maximum number of stored keys, far more than are active at the same time. Above it, the oldest keys without active requests are removed.
 */
const maxKeys = 20_000

export function createRequestShare(limits: ShareLimits, clock: () => number = Date.now): RequestShare {
  /** Sorted by last use: the most recently used key is the last. */
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
      // May fall below zero. The next requests are then refused for longer.
      share.tokens -= cost
      return true
    },
    release(key) {
      const share = shares.get(key)
      if (share) share.activeCount -= 1
    },
  }
}
