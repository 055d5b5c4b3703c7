/** Limits the concurrent transactions of one company. More would wait for the pool and delay all other companies. */
import type { Database } from '#server/db/database.ts'

/** The embedded database runs one transaction at a time. Of PostgreSQL's twenty connections, some stay free. */
const maxConcurrent: Record<Database['engine'], number> = { embedded: 1, postgres: 6 }

interface TurnQueue {
  runningCount: number
  waiters: (() => void)[]
}

const turnQueues = new WeakMap<Database, Map<number, TurnQueue>>()

/** Throws `createTimeoutError()` if the turn does not come in time. */
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
    // The running slot passes to the next waiter, so the count stays.
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
