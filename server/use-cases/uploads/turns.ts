/**
 * Costly work in turn: one piece at a time, but what takes longer than others does not hold them up. It goes on beside the next ones, as
 * long as there are not too many of its kind.
 */
export interface TurnLimits {
  /** A piece of work that takes longer no longer holds up the next one, ms. */
  slowAfterMs: number
  /** So many of these at once beside the one whose turn it is. */
  maxSlow: number
}

export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>

export function createTurns({ slowAfterMs, maxSlow }: TurnLimits): TakeTurn {
  const waiting: (() => void)[] = []
  let isTaken = false
  let slow = 0
  /** Those whose turn is over as soon as a slow one has ended. */
  const overdue: (() => void)[] = []

  function next(): void {
    const begin = waiting.shift()
    if (begin) begin()
    else isTaken = false
  }

  async function run<T>(work: () => Promise<T>): Promise<T> {
    let isSlow = false
    const stepAside = () => {
      isSlow = true
      slow += 1
      next()
    }
    const timer = setTimeout(() => (slow < maxSlow ? stepAside() : overdue.push(stepAside)), slowAfterMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      const at = overdue.indexOf(stepAside)
      if (at !== -1) overdue.splice(at, 1)
      if (!isSlow) next()
      else {
        slow -= 1
        overdue.shift()?.()
      }
    }
  }

  return async (work) => {
    if (isTaken) await new Promise<void>((begin) => waiting.push(begin))
    isTaken = true
    return await run(work)
  }
}
