/**
 * Password hashes take most of a processor: those of strangers are worked out two at a time, so that whoever is known does not wait behind
 * a flood of them.
 */
const maxUnknownRuns = 2
const maxWaiting = 16

export interface HashQueue {
  /** Null: too many wait already, and `work` is not done. */
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
      // Its place goes to the next one.
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
