/**
 * Password hashes take most of a processor: those of strangers are worked out two at a time, so that whoever is known does not wait behind
 * a flood of them.
 */
const maxStrangers = 2
const maxWaiting = 16

export interface HashQueue {
  /** Null: too many wait already, and `work` is not done. */
  run<T>(isKnown: boolean, work: () => Promise<T>): Promise<T> | null
}

export function createHashQueue(): HashQueue {
  const waiting: (() => void)[] = []
  let working = 0

  async function takeTurn<T>(work: () => Promise<T>): Promise<T> {
    if (working >= maxStrangers) await new Promise<void>((start) => waiting.push(start))
    else working += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // Its place goes to the next one.
      if (next) next()
      else working -= 1
    }
  }

  return {
    run(isKnown, work) {
      if (isKnown) return work()
      return waiting.length >= maxWaiting ? null : takeTurn(work)
    },
  }
}
