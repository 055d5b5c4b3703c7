/**
 * Limits the concurrent transactions of one company. Further transactions wait here, because in the queue of the connection pool they would
 * delay all other companies.
 */
import type { Database } from '#server/db/database.ts'

/** Share of the connections that the concurrent transactions of one company may use. The embedded database runs one transaction at a time. */
const maxShare = 0.3

const getMaxConcurrent = ({ poolSize }: Database) => Math.max(1, Math.floor(poolSize * maxShare))

interface TurnQueue {
  runningCount: number
  waiters: (() => void)[]
}

const turnQueues = new WeakMap<Database, Map<number, TurnQueue>>()

/** Runs the action when fewer transactions than the maximum run. Throws `createTimeoutError()` if this takes longer than `waitMs`. */
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
  if (queue.runningCount < getMaxConcurrent(database)) queue.runningCount += 1
  else await waitForTurn(queue, waitMs, createTimeoutError)
  try {
    return await action()
  } finally {
    const startNext = queue.waiters.shift()
    // The next waiter takes over the slot of this action, so the count stays the same.
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
