/**
 * Decides the order in which passwords are hashed (S-33). Unknown callers may use all slots but one. Known callers have that slot to
 * themselves and come first in all others, so a flood of unknown callers delays them by one hash at most. A full queue refuses further
 * callers.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { ProblemError } from '#server/problems/problem-error.ts'

/** `known` means that the caller is signed in, or on a device from which this account has signed in before. */
export type HashingCaller = { kind: 'anonymous' } | { kind: 'known'; userId: number }

/** A place in the queue. It is taken before a guess is counted, so that a caller who is refused here has used no guess. */
export interface HashingQueuePosition {
  /** Makes further hashes at this position slow. Only one such hash runs at a time, with a pause after each. */
  slowDown(): void
  run<T>(work: () => Promise<T>): Promise<T>
}

const maxWaiting = 50
/**
 * Maximum number of an account's positions among the known callers. Its further positions wait among the unknown callers, so that it cannot
 * fill the queue.
 */
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

  /** At most one hash per core runs at the same time, but two on a single core. `pause` runs after each slow hash. */
  constructor(cores: number, pause: () => Promise<unknown> = () => wait(restMs, undefined, { ref: false })) {
    this.#slots = Math.max(2, cores)
    this.#knownCallers = { slots: this.#slots, positionCount: 0, runningCount: 0, queuedHashes: [] }
    this.#unknownCallers = { slots: this.#slots - 1, positionCount: 0, runningCount: 0, queuedHashes: [] }
    this.#pause = pause
  }

  /** Throws RATE_LIMITED with the wait time if the queue is full. */
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
      // The response does not wait for the pause. Only the next caller in the queue waits.
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
