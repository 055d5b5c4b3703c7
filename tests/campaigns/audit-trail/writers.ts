/** Writers of one company at the same time: through the log, and through the chain of hashes behind its lock, as it was before. */
import { sql } from 'kysely'
import type { AppContext } from '#server/context/context.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { brokenEntries } from '#server/use-cases/audit/check-log.ts'
import { openDatabase } from '#tests/campaigns/audit-trail/databases.ts'

const writers = 200
const each = 50
const company = 7
const scope = { role: 'portal_app', companyId: company } as const
const info = { CompanyName: 'Acme', UserName: 'Somebody', UserId: 12 }

async function all(write: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let at = 0; at < each; at++) await write()
    }),
  )
  return (writers * each * 1000) / (performance.now() - began)
}

const byLog = (app: AppContext) => () =>
  inTransaction(app, scope, (db) =>
    addToTrail(db, { companyId: company, userId: 12, now: Date.now(), status: 0, intent: null, requestId: 'r' }, [
      { code: 'user', operation: 'update', info },
    ]),
  )

const byChain = (app: AppContext) => () =>
  inTransaction(
    app,
    scope,
    async (db) =>
      void (await sql`
        insert into trail (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent,
          request_id)
        values (0, ${company}, 'user', 'update', 12, coalesce((select name from portal_user where id = 12), ''),
          ${Date.now()}, 0, ${JSON.stringify(info)}, null, 'r')`.execute(db)),
  )

/** The place of every entry once the integrator is through, and how long the last one waited. */
async function integrateBeside(app: AppContext, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await integrate(app)
    await new Promise((on) => setTimeout(on, 200))
  }
}

/** Entries a second behind the lock of the chain, once its connections are open. */
async function measureChain(cluster: string): Promise<number> {
  const { app, close } = await openDatabase(cluster, 'chain', '024-packages')
  await all(byChain(app))
  const rate = await all(byChain(app))
  await close()
  return rate
}

/** The same through the log with the integrator beside, and what is wrong with the log afterwards. */
async function measureLog(cluster: string): Promise<{ rate: number; wrong: string[] }> {
  const { app, close } = await openDatabase(cluster, 'log')
  await all(byLog(app))
  let isOver = false
  const beside = integrateBeside(app, () => isOver)
  const rate = await all(byLog(app))
  isOver = true
  await beside
  await integrate(app)
  const found = await inTransaction(app, { role: 'portal_system' }, async (db) => {
    const { rows } = await sql<{ entries: number; places: number; last: number; waiting: number }>`
      select (select count(*)::integer from audit_entry) as entries, count(*)::integer as places,
        max(log_index) as last, (select count(*)::integer from audit_pending) as waiting from audit_leaf`.execute(db)
    return { ...rows[0], broken: await brokenEntries(app, db) }
  })
  await close()
  const total = 2 * writers * each
  const isWhole = found.entries === total && found.places === total && found.last === total - 1 && found.waiting === 0
  return {
    rate,
    wrong: [
      ...(isWhole ? [] : [`of ${total} entries: ${JSON.stringify(found)}`]),
      ...found.broken.map(({ id }) => `broken at ${id}`),
    ],
  }
}

const rounds = 3
/** A figure of speed holds within a third of its limit. */
const third = 4 / 3
const medianOf = (figures: number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

/** One after the other, so that a machine that grows slower is so for both; medians are compared. */
export async function measureWriters(cluster: string): Promise<string[]> {
  const [chains, logs, wrong]: [number[], number[], string[]] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    chains.push(await measureChain(cluster))
    const found = await measureLog(cluster)
    logs.push(found.rate)
    wrong.push(...found.wrong)
  }
  const [log, chain] = [medianOf(logs), medianOf(chains)]
  const said = [logs, chains].map((figures) => figures.map((rate) => rate.toFixed(0)).join(', '))
  console.log(`${writers} writers of one company: ${said[0]} entries/s through the log, ${said[1]} the chain`)
  if (log * third < chain)
    wrong.push(`writers are slower than by the chain: ${log.toFixed(0)} against ${chain.toFixed(0)}`)
  return wrong
}
