/**
 * Limits of `createTurns`, which runs expensive work one piece at a time. A slow piece continues in parallel and does not delay the next
 * ones.
 */
export interface TurnLimits {
  /** Time in ms after which a piece is slow, so that the next piece may start. */
  slowAfterMs: number
  maxSlow: number
}

export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>

export function createTurns({ slowAfterMs, maxSlow }: TurnLimits): TakeTurn {
  const waitingStarts: (() => void)[] = []
  let isBusy = false
  let slowCount = 0
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
