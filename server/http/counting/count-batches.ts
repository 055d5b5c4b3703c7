/**
 * Writes counts in batches, one statement at a time: what arrives while a statement runs is written by the next one. So a node uses one
 * connection for its counts, a flood of one key costs one update per statement, and the nodes do not queue for the lock of a row.
 */
import { setTimeout as wait } from 'node:timers/promises'

export interface WindowCount {
  /** Number of requests in the window, with this one. */
  position: number
  /** End of the window, epoch ms. */
  windowEnd: number
}

export interface CountTotal {
  total: number
  windowEnd: number
}

interface PendingCount {
  key: string
  amount: 1 | -1
  resolve: (count: WindowCount) => void
  reject: (error: unknown) => void
}

interface BatchOptions {
  /** Adds to the counts of the keys and returns the new totals. */
  write: (amountsByKey: ReadonlyMap<string, number>) => Promise<ReadonlyMap<string, CountTotal>>
  /** Maximum time in ms of a statement. Later its counts are rejected. */
  timeoutMs: number
}

const maxBatchSize = 1000
/** Further counts are rejected at once: the database is too slow for them. */
const maxPending = 5000

export class CountBatches {
  readonly #options: BatchOptions
  #pendingCounts: PendingCount[] = []
  #isWriting = false

  constructor(options: BatchOptions) {
    this.#options = options
  }

  /** Adds 1 to a count, or takes back an earlier 1. Rejects if the count could not be written in time. */
  add(key: string, amount: 1 | -1): Promise<WindowCount> {
    if (this.#pendingCounts.length >= maxPending)
      return Promise.reject(new Error('too many requests wait to be counted'))
    return new Promise((resolve, reject) => {
      this.#pendingCounts.push({ key, amount, resolve, reject })
      if (!this.#isWriting) void this.#writeAll()
    })
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    // All counts of one request are added before the statement starts.
    await Promise.resolve()
    while (this.#pendingCounts.length > 0) await this.#writeBatch(this.#pendingCounts.splice(0, maxBatchSize))
    this.#isWriting = false
  }

  async #writeBatch(batch: readonly PendingCount[]): Promise<void> {
    const amountsByKey = new Map<string, number>()
    for (const { key, amount } of batch) amountsByKey.set(key, (amountsByKey.get(key) ?? 0) + amount)
    try {
      const totals = await this.#writeInTime(amountsByKey)
      const positions = new Map<string, number>()
      for (const [key, amount] of amountsByKey) positions.set(key, (totals.get(key)?.total ?? 0) - amount)
      for (const { key, amount, resolve } of batch) {
        const position = (positions.get(key) ?? 0) + amount
        positions.set(key, position)
        resolve({ position, windowEnd: totals.get(key)?.windowEnd ?? 0 })
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  async #writeInTime(amountsByKey: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, CountTotal>> {
    const timeout = new AbortController()
    const failLate = async (): Promise<never> => {
      await wait(this.#options.timeoutMs, undefined, { signal: timeout.signal, ref: false })
      throw new Error(`the counts of requests were not written within ${this.#options.timeoutMs} ms`)
    }
    const latePromise = failLate()
    latePromise.catch(() => undefined)
    try {
      return await Promise.race([this.#options.write(amountsByKey), latePromise])
    } finally {
      timeout.abort()
    }
  }
}
