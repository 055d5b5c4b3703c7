/**
 * Maximum number of hashes for unknown clients at the same time. A hash uses most of a processor, so more would make known clients wait.
 */
const maxUnknownRuns = 2
const maxWaiting = 16

export interface HashQueue {
  /** Returns null without running `work` if too many are waiting. */
  run<T>(isKnown: boolean, work: () => Promise<T>): Promise<T> | null
}

export function createHashQueue(): HashQueue {
  const waitingStarts: (() => void)[] = []
  let runningCount = 0

  async function runInTurn<T>(work: () => Promise<T>): Promise<T> {
    if (runningCount >= maxUnknownRuns) await new Promise<void>((start) => waitingStarts.push(start))
    else runningCount += 1
    try {
      return await work()
    } finally {
      const startNext = waitingStarts.shift()
      // The next waiting run takes over the slot.
      if (startNext) startNext()
      else runningCount -= 1
    }
  }

  return {
    run(isKnown, work) {
      if (isKnown) return work()
      return waitingStarts.length >= maxWaiting ? null : runInTurn(work)
    },
  }
}
