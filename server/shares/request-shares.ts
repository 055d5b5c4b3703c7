/**
 * How many requests one client address and one service may have at a time and in a second, so that whoever uses their share up slows
 * nobody else. Kept in memory: addresses that have been quiet are forgotten.
 */
export interface ShareLimits {
  /** Requests at work. */
  atOnce: number
  perSecond: number
  /** So many more at once after a pause. */
  burst: number
}

export const scaleShare = ({ atOnce, perSecond, burst }: ShareLimits, factor: number): ShareLimits => ({
  atOnce: atOnce * factor,
  perSecond: perSecond * factor,
  burst: burst * factor,
})

interface Share {
  atWork: number
  tokens: number
  /** Epoch ms of the last refill. */
  time: number
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
  const shares = new Map<string, Share>()

  function refilled(key: string): Share {
    const now = clock()
    const share = shares.get(key) ?? { atWork: 0, tokens: limits.burst, time: now }
    const seconds = Math.max(0, now - share.time) / 1000
    share.tokens = Math.min(limits.burst, share.tokens + seconds * limits.perSecond)
    share.time = now
    shares.delete(key)
    shares.set(key, share)
    return share
  }

  function forgetOldest(): void {
    for (const [key, { atWork }] of shares) {
      if (shares.size <= maxKeys) return
      if (atWork === 0) shares.delete(key)
    }
  }

  const isEmpty = ({ atWork, tokens }: Share) => atWork >= limits.atOnce || tokens < 1

  return {
    isUsedUp: (key) => isEmpty(refilled(key)),
    claim(key, cost = 1) {
      const share = refilled(key)
      if (shares.size > maxKeys) forgetOldest()
      if (isEmpty(share)) return false
      share.atWork += 1
      // May go below zero: the next ones wait for longer.
      share.tokens -= cost
      return true
    },
    release(key) {
      const share = shares.get(key)
      if (share) share.atWork -= 1
    },
  }
}
