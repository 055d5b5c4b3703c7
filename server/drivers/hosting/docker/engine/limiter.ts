export interface Limiter {
  run<T>(work: () => Promise<T>): Promise<T>
}

/**
 * Runs at most `maxParallel` pieces of work at once. The others wait in the order of their calls. Calls `refuse`, which throws, if already
 * `maxWaiting` wait.
 */
export function createLimiter(maxParallel: number, maxWaiting: number, refuse: () => never): Limiter {
  const waiting: (() => void)[] = []
  let runningCount = 0
  return {
    async run(work) {
      if (runningCount >= maxParallel && waiting.length >= maxWaiting) refuse()
      if (runningCount >= maxParallel) await new Promise<void>((resolve) => waiting.push(resolve))
      else runningCount += 1
      try {
        return await work()
      } finally {
        // The turn goes directly to the next one, so that nobody overtakes it.
        const next = waiting.shift()
        if (next) next()
        else runningCount -= 1
      }
    },
  }
}
