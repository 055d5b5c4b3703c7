/** A hash uses most of a processor. Unknown clients get two at a time, so that known clients do not have to wait. */
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
