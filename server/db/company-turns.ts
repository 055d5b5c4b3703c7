/**
 * How many transactions one company may have at a time: further ones wait for each other, and not at the pool, where everybody else
 * would wait behind them.
 */
import type { Database } from '#server/db/database.ts'

/** The embedded database does one after the other; of the twenty connections to PostgreSQL some are always left to others. */
const maxConcurrent: Record<Database['engine'], number> = { embedded: 1, postgres: 6 }

interface TurnQueue {
  runningCount: number
  waiters: (() => void)[]
}

const turnQueues = new WeakMap<Database, Map<number, TurnQueue>>()

/** Throws `createTimeoutError()` where its turn does not come within that time. */
export async function runInTurn<T>(
  database: Database,
  companyId: number,
  { waitMs, createTimeoutError }: { waitMs: number; createTimeoutError: () => Error },
  action: () => Promise<T>,
): Promise<T> {
  const queuesByCompany = turnQueues.get(database) ?? new Map<number, TurnQueue>()
  turnQueues.set(database, queuesByCompany)
  const queue = queuesByCompany.get(companyId) ?? { runningCount: 0, waiters: [] }
  queuesByCompany.set(companyId, queue)
  if (queue.runningCount < maxConcurrent[database.engine]) queue.runningCount += 1
  else await waitForTurn(queue, waitMs, createTimeoutError)
  try {
    return await action()
  } finally {
    const startNext = queue.waiters.shift()
    // Its place goes to the next one.
    if (startNext) startNext()
    else queue.runningCount -= 1
    if (queue.runningCount === 0) queuesByCompany.delete(companyId)
  }
}

function waitForTurn({ waiters }: TurnQueue, waitMs: number, createTimeoutError: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const startTurn = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      waiters.splice(waiters.indexOf(startTurn), 1)
      reject(createTimeoutError())
    }, waitMs)
    waiters.push(startTurn)
  })
}
