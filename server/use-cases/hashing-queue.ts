/**
 * Who is hashed next (S-33). Strangers have every slot but one; whom we know has that one to themselves and goes first in
 * all others, so no flood of strangers makes them wait for more than the hash at work. A line that is full refuses.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '#server/problems/problem-error.ts'

/** `known`: signed in, or on a device from which this very account has signed in before. */
export type HashingCaller = { kind: 'anonymous' } | { kind: 'known'; userId: number }

/** A place in the queue, held from before anything is counted, so that whoever is refused has made no guess. */
export interface HashingQueuePosition {
  /** From now on its hashes are made slowly: one of all such at a time, with a rest behind each. */
  slowDown(): void
  run<T>(work: () => Promise<T>): Promise<T>
}

const maxWaiting = 50
/** Of one account among the known: further ones stand with the strangers, so that nobody fills the line by their own account. */
const maxPerAccount = 2
const restMs = 250

interface QueuedHash {
  isSlow: boolean
  start: () => void
}

interface QueueLine {
  slots: number
  positionCount: number
  runningCount: number
  queuedHashes: QueuedHash[]
}

export class HashingQueue {
  readonly #slots: number
  readonly #knownCallers: QueueLine
  readonly #unknownCallers: QueueLine
  readonly #positionsByAccount = new Map<number, number>()
  readonly #pause: () => Promise<unknown>
  #slowCount = 0

  /** At most so many hashes at once as there are cores, but two even on one core. `pause`: behind each slow hash. */
  constructor(cores: number, pause: () => Promise<unknown> = () => wait(restMs, undefined, { ref: false })) {
    this.#slots = Math.max(2, cores)
    this.#knownCallers = { slots: this.#slots, positionCount: 0, runningCount: 0, queuedHashes: [] }
    this.#unknownCallers = { slots: this.#slots - 1, positionCount: 0, runningCount: 0, queuedHashes: [] }
    this.#pause = pause
  }

  /** Throws RATE_LIMITED with the wait where the line is full. */
  async runWithPosition<T>(caller: HashingCaller, work: (position: HashingQueuePosition) => Promise<T>): Promise<T> {
    const account =
      caller.kind === 'known' && this.#countPositions(caller.userId) < maxPerAccount ? caller.userId : null
    const line = account === null ? this.#unknownCallers : this.#knownCallers
    if (line.positionCount >= line.slots + maxWaiting)
      throw new ProblemError('RATE_LIMITED', null, this.#retryAfterSeconds())
    line.positionCount++
    if (account !== null) this.#positionsByAccount.set(account, this.#countPositions(account) + 1)
    let isSlow = false
    try {
      return await work({
        slowDown: () => {
          isSlow = true
        },
        run: (hash) => this.#run(line, isSlow, hash),
      })
    } finally {
      line.positionCount--
      if (account !== null) this.#releasePosition(account)
    }
  }

  #countPositions(account: number): number {
    return this.#positionsByAccount.get(account) ?? 0
  }

  #releasePosition(account: number): void {
    const remainingCount = this.#countPositions(account) - 1
    if (remainingCount > 0) this.#positionsByAccount.set(account, remainingCount)
    else this.#positionsByAccount.delete(account)
  }

  #retryAfterSeconds(): number {
    return this.#slowCount === 0 ? 2 : Math.max(2, Math.ceil((maxWaiting * restMs) / 1000))
  }

  async #run<T>(line: QueueLine, isSlow: boolean, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((start) => {
      line.queuedHashes.push({ isSlow, start })
      this.#startNext()
    })
    try {
      return await work()
    } finally {
      // The answer does not wait for the rest, only whoever stands behind it.
      void this.#releaseSlot(line, isSlow)
    }
  }

  async #releaseSlot(line: QueueLine, isSlow: boolean): Promise<void> {
    if (isSlow) {
      await this.#pause()
      this.#slowCount--
    }
    line.runningCount--
    this.#startNext()
  }

  #startNext(): void {
    while (this.#knownCallers.runningCount + this.#unknownCallers.runningCount < this.#slots) {
      const line = this.#knownCallers.queuedHashes.length > 0 ? this.#knownCallers : this.#unknownCallers
      const nextHash = line.queuedHashes[0]
      if (!nextHash || line.runningCount >= line.slots || (nextHash.isSlow && this.#slowCount > 0)) return
      line.queuedHashes.shift()
      line.runningCount++
      if (nextHash.isSlow) this.#slowCount++
      nextHash.start()
    }
  }
}
