/**
 * Who is hashed next (S-33). Strangers have every slot but one; whom we know has that one to themselves and goes first in
 * all others, so no flood of strangers makes them wait for more than the hash at work. A line that is full refuses.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '#server/problems/problem-error.ts'

/** `known`: signed in, or on a device from which this very account has signed in before. */
export type Asker = { kind: 'stranger' } | { kind: 'known'; userId: number }

/** A place in the queue, held from before anything is counted, so that whoever is refused has made no guess. */
export interface Place {
  /** From now on its hashes are made slowly: one of all such at a time, with a rest behind each. */
  slow(): void
  run<T>(work: () => Promise<T>): Promise<T>
}

const maxWaiting = 50
/** Of one account among the known: further ones stand with the strangers, so that nobody fills the line by their own account. */
const maxPerAccount = 2
const restMs = 250

interface Turn {
  isSlow: boolean
  start: () => void
}

interface Line {
  slots: number
  places: number
  running: number
  waiting: Turn[]
}

export class HashingQueue {
  readonly #slots: number
  readonly #known: Line
  readonly #strangers: Line
  readonly #accounts = new Map<number, number>()
  readonly #rest: () => Promise<unknown>
  #slowly = 0

  /** At most so many hashes at once as there are cores, but two even on one core. `rest`: behind each slow hash. */
  constructor(cores: number, rest: () => Promise<unknown> = () => wait(restMs, undefined, { ref: false })) {
    this.#slots = Math.max(2, cores)
    this.#known = { slots: this.#slots, places: 0, running: 0, waiting: [] }
    this.#strangers = { slots: this.#slots - 1, places: 0, running: 0, waiting: [] }
    this.#rest = rest
  }

  /** Throws RATE_LIMITED with the wait where the line is full. */
  async hold<T>(asker: Asker, work: (place: Place) => Promise<T>): Promise<T> {
    const account = asker.kind === 'known' && this.#countOf(asker.userId) < maxPerAccount ? asker.userId : null
    const line = account === null ? this.#strangers : this.#known
    if (line.places >= line.slots + maxWaiting) throw new ProblemError('RATE_LIMITED', null, this.#retryAfterSeconds())
    line.places++
    if (account !== null) this.#accounts.set(account, this.#countOf(account) + 1)
    let isSlow = false
    try {
      return await work({
        slow: () => {
          isSlow = true
        },
        run: (hashing) => this.#run(line, isSlow, hashing),
      })
    } finally {
      line.places--
      if (account !== null) this.#forget(account)
    }
  }

  #countOf(account: number): number {
    return this.#accounts.get(account) ?? 0
  }

  #forget(account: number): void {
    const left = this.#countOf(account) - 1
    if (left > 0) this.#accounts.set(account, left)
    else this.#accounts.delete(account)
  }

  #retryAfterSeconds(): number {
    return this.#slowly === 0 ? 2 : Math.max(2, Math.ceil((maxWaiting * restMs) / 1000))
  }

  async #run<T>(line: Line, isSlow: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      line.waiting.push({ isSlow, start })
      this.#startNext()
    })
    try {
      return await work()
    } finally {
      // The answer does not wait for the rest, only whoever stands behind it.
      void this.#leave(line, isSlow)
    }
  }

  async #leave(line: Line, isSlow: boolean): Promise<void> {
    if (isSlow) {
      await this.#rest()
      this.#slowly--
    }
    line.running--
    this.#startNext()
  }

  #startNext(): void {
    while (this.#known.running + this.#strangers.running < this.#slots) {
      const line = this.#known.waiting.length > 0 ? this.#known : this.#strangers
      const next = line.waiting[0]
      if (!next || line.running >= line.slots || (next.isSlow && this.#slowly > 0)) return
      line.waiting.shift()
      line.running++
      if (next.isSlow) this.#slowly++
      next.start()
    }
  }
}
