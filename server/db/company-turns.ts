/**
 * How many transactions one company may have at a time: further ones wait for each other, and not at the pool, where everybody else
 * would wait behind them.
 */
import type { Database } from '#server/db/handle.ts'

/** The embedded database does one after the other; of the twenty connections to PostgreSQL some are always left to others. */
const maxAtOnce: Record<Database['engine'], number> = { embedded: 1, postgres: 6 }

interface Turns {
  working: number
  waiting: (() => void)[]
}

const turnsOf = new WeakMap<Database, Map<number, Turns>>()

/** Throws `late()` where its turn does not come within that time. */
export async function inTurn<T>(
  database: Database,
  companyId: number,
  { waitMs, late }: { waitMs: number; late: () => Error },
  work: () => Promise<T>,
): Promise<T> {
  const companies = turnsOf.get(database) ?? new Map<number, Turns>()
  turnsOf.set(database, companies)
  const turns = companies.get(companyId) ?? { working: 0, waiting: [] }
  companies.set(companyId, turns)
  if (turns.working < maxAtOnce[database.engine]) turns.working += 1
  else await comeToTurn(turns, waitMs, late)
  try {
    return await work()
  } finally {
    const next = turns.waiting.shift()
    // Its place goes to the next one.
    if (next) next()
    else turns.working -= 1
    if (turns.working === 0) companies.delete(companyId)
  }
}

function comeToTurn({ waiting }: Turns, waitMs: number, late: () => Error): Promise<void> {
  return new Promise((start, fail) => {
    const begin = () => {
      clearTimeout(timer)
      start()
    }
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(begin), 1)
      fail(late())
    }, waitMs)
    waiting.push(begin)
  })
}
