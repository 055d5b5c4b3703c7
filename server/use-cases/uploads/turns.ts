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
  const waitingStarts: (() => void)[] = []
  let isBusy = false
  let slowCount = 0
  /** Those whose turn is over as soon as a slow one has ended. */
  const overdueYields: (() => void)[] = []

  function startNext(): void {
    const startWaiting = waitingStarts.shift()
    if (startWaiting) startWaiting()
    else isBusy = false
  }

  async function runTurn<T>(work: () => Promise<T>): Promise<T> {
    let isSlow = false
    const yieldTurn = () => {
      isSlow = true
      slowCount += 1
      startNext()
    }
    const timer = setTimeout(() => (slowCount < maxSlow ? yieldTurn() : overdueYields.push(yieldTurn)), slowAfterMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      const index = overdueYields.indexOf(yieldTurn)
      if (index !== -1) overdueYields.splice(index, 1)
      if (!isSlow) startNext()
      else {
        slowCount -= 1
        overdueYields.shift()?.()
      }
    }
  }

  return async (work) => {
    if (isBusy) await new Promise<void>((resolve) => waitingStarts.push(resolve))
    isBusy = true
    return await runTurn(work)
  }
}
