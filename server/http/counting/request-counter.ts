/** Counts requests in windows of one minute: in memory, or on PostgreSQL in the database for all nodes together (decision 96). */
import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppContext } from '#server/context/context.ts'
import { addRequestCounts } from '#server/db/request-counts.ts'
import { runSingleStatement } from '#server/db/transaction.ts'
import { CountBatches, type CountTotal } from '#server/http/counting/count-batches.ts'
import { createRefusedKeys } from '#server/http/counting/refused-keys.ts'

const windowMs = 60_000

/** A count that takes longer is done in memory. After a failure, the database is not used for `pauseMs`. */
const defaultTimes = { timeoutMs: 1000, pauseMs: 5000 }
export type CountTimes = typeof defaultTimes

export interface RequestLimit {
  /** Name of the limit. Each limit has its own counts. */
  group: string
  /** Maximum number of requests per minute with the same key. */
  max: number
  getKey: (request: FastifyRequest) => string
}

export interface RequestCounter {
  /** Creates a function that counts a request for these limits in their order, until one is exceeded. It returns the ms to wait, or null. */
  defineLimits(limits: readonly RequestLimit[]): (request: FastifyRequest) => Promise<number | null>
}

export const openRequestCounter = (fastify: FastifyInstance, app: AppContext, times: Partial<CountTimes>) => {
  const memoryCounter = createMemoryCounter(fastify)
  return app.database.engine === 'postgres'
    ? createSharedCounter(app, memoryCounter, { ...defaultTimes, ...times })
    : memoryCounter
}

/** Counts in the memory of this process. */
function createMemoryCounter(fastify: FastifyInstance): RequestCounter {
  const consumersByGroup = new Map<string, ReturnType<FastifyInstance['createRateLimit']>>()

  /** A limit that is defined twice has the same counts. */
  function openConsumer({ group, max, getKey }: RequestLimit) {
    const consumer =
      consumersByGroup.get(group) ??
      fastify.createRateLimit({ max, timeWindow: windowMs, keyGenerator: (request) => getKey(request) })
    consumersByGroup.set(group, consumer)
    return consumer
  }

  // The memory store returns an object that the next count changes before it is read, so one request is counted after the other.
  let lastCount: Promise<unknown> = Promise.resolve()

  return {
    defineLimits(limits) {
      const consumers = limits.map(openConsumer)
      return async (request) => {
        for (const consume of consumers) {
          const count = lastCount.then(() => consume(request))
          lastCount = count.catch(() => undefined)
          const result = await count
          if (!result.isAllowed && result.isExceeded) return result.ttl
        }
        return null
      }
    },
  }
}

/**
 * Counts in the database. A caller over a limit is then refused from memory until the window ends, so a flood does not reach the database.
 * If the database is not available, counts in memory, because no request may fail for being counted.
 */
function createSharedCounter(app: AppContext, memoryCounter: RequestCounter, times: CountTimes): RequestCounter {
  const { log, clock } = app
  const refusedKeys = createRefusedKeys(clock)
  const batches = new CountBatches({ write: (amounts) => writeCounts(app, amounts), timeoutMs: times.timeoutMs })
  let pausedSince = Number.NEGATIVE_INFINITY

  function pause(error: unknown): void {
    if (isPaused()) return
    pausedSince = performance.now()
    log.warn(
      { event: 'request_count_failed', err: error },
      'could not count requests in the database; this node counts in its memory for some seconds',
    )
  }
  const isPaused = () => performance.now() - pausedSince < times.pauseMs

  /** Throws if the database cannot count. */
  async function countShared(keyedLimits: readonly { key: string; max: number }[]): Promise<number | null> {
    // Sent together, so that all limits of a request are counted by one statement.
    const counts = await Promise.all(keyedLimits.map(({ key }) => batches.add(key, 1)))
    const exceededIndex = counts.findIndex(({ position }, index) => position > (keyedLimits[index]?.max ?? 0))
    const exceededCount = counts[exceededIndex]
    if (exceededCount === undefined) return null
    refusedKeys.add(keyedLimits[exceededIndex]?.key ?? '', exceededCount.windowEnd)
    // A request that one limit refuses does not count for the next limit, for example of the company.
    const laterLimits = keyedLimits.slice(exceededIndex + 1)
    await Promise.all(laterLimits.map(({ key }) => batches.add(key, -1)))
    return toWaitMs(exceededCount.windowEnd)
  }
  const toWaitMs = (windowEnd: number) => Math.min(windowEnd - clock(), windowMs)

  return {
    defineLimits(limits) {
      const countInMemory = memoryCounter.defineLimits(limits)
      return async (request) => {
        const keyedLimits = limits.map((limit) => ({ key: hashKey(limit, request), max: limit.max }))
        const refusedUntil = refusedKeys.findEnd(keyedLimits.map(({ key }) => key))
        if (refusedUntil !== null) return toWaitMs(refusedUntil)
        if (isPaused()) return countInMemory(request)
        try {
          return await countShared(keyedLimits)
        } catch (error) {
          pause(error)
          return countInMemory(request)
        }
      }
    },
  }
}

async function writeCounts(app: AppContext, amounts: ReadonlyMap<string, number>): Promise<Map<string, CountTotal>> {
  const now = app.clock()
  const counts = await runSingleStatement(app, (db) => addRequestCounts(db, amounts, { windowMs, now }))
  return new Map(
    [...counts].map(([key, { total, windowStart }]) => [key, { total, windowEnd: windowStart + windowMs }] as const),
  )
}

/** Returns a key of fixed length that names nobody: an address may be any text that a trusted proxy passed on. */
const hashKey = ({ group, getKey }: RequestLimit, request: FastifyRequest) =>
  createHash('sha256')
    .update(`${group} ${getKey(request)}`)
    .digest('base64url')
