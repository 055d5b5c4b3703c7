/** Measures concurrent writers of one company: with the log, and with the former hash chain, which needed a lock. */
import { sql } from 'kysely'
import type { AppContext } from '#server/context/context.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { findBrokenEntries } from '#server/use-cases/audit/check-log.ts'
import { openDatabase } from '#tests/campaigns/audit-trail/databases.ts'

const writerCount = 200
const writesPerWriter = 50
const companyId = 7
const scope = { role: 'portal_app', companyId } as const
const info = { CompanyName: 'Acme', UserName: 'Somebody', UserId: 12 }

async function measureRate(write: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: writerCount }, async () => {
      for (let index = 0; index < writesPerWriter; index++) await write()
    }),
  )
  return (writerCount * writesPerWriter * 1000) / (performance.now() - startedAt)
}

const createLogWrite = (app: AppContext) => () =>
  runInTransaction(app, scope, (db) =>
    addAuditEntries(db, { companyId, userId: 12, now: Date.now(), status: 0, intent: null, requestId: 'r' }, [
      { code: 'user', operation: 'update', info },
    ]),
  )

const createChainWrite = (app: AppContext) => () =>
  runInTransaction(
    app,
    scope,
    async (db) =>
      void (await sql`
        insert into trail (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info, intent,
          request_id)
        values (0, ${companyId}, 'user', 'update', 12, coalesce((select name from portal_user where id = 12), ''),
          ${Date.now()}, 0, ${JSON.stringify(info)}, null, 'r')`.execute(db)),
  )

/** Integrates every 200 ms until `isOver` returns true. */
async function integrateUntil(app: AppContext, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await integrate(app)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Returns the entries per second with the locked hash chain, measured after its connections are open. */
async function measureChain(cluster: string): Promise<number> {
  const { app, close } = await openDatabase(cluster, 'chain', '024-packages')
  await measureRate(createChainWrite(app))
  const rate = await measureRate(createChainWrite(app))
  await close()
  return rate
}

/** Returns entries per second with the log and a running integrator, and the faults found in the log afterwards. */
async function measureLog(cluster: string): Promise<{ rate: number; faults: string[] }> {
  const { app, close } = await openDatabase(cluster, 'log')
  await measureRate(createLogWrite(app))
  let isOver = false
  const integration = integrateUntil(app, () => isOver)
  const rate = await measureRate(createLogWrite(app))
  isOver = true
  await integration
  await integrate(app)
  const counts = await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    const { rows } = await sql<{ entries: number; places: number; last: number; waiting: number }>`
      select (select count(*)::integer from audit_entry) as entries, count(*)::integer as places,
        max(log_index) as last, (select count(*)::integer from audit_pending) as waiting from audit_leaf`.execute(db)
    return { ...rows[0], broken: await findBrokenEntries(app, db) }
  })
  await close()
  const total = 2 * writerCount * writesPerWriter
  const isComplete =
    counts.entries === total && counts.places === total && counts.last === total - 1 && counts.waiting === 0
  return {
    rate,
    faults: [
      ...(isComplete ? [] : [`${total} entries were written, but the tables have ${JSON.stringify(counts)}`]),
      ...counts.broken.map(({ id }) => `entry ${id} is broken`),
    ],
  }
}

const rounds = 3
/** Factor by which the log may be slower than the chain, because measurements vary. */
const tolerance = 4 / 3
const median = (figures: number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

/** Alternates both measurements and compares medians, so a machine that slows down affects both. */
export async function measureWriters(cluster: string): Promise<string[]> {
  const [chainRates, logRates, faults]: [number[], number[], string[]] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    chainRates.push(await measureChain(cluster))
    const result = await measureLog(cluster)
    logRates.push(result.rate)
    faults.push(...result.faults)
  }
  const [log, chain] = [median(logRates), median(chainRates)]
  const rateTexts = [logRates, chainRates].map((figures) => figures.map((rate) => rate.toFixed(0)).join(', '))
  console.log(
    `${writerCount} writers of one company: ${rateTexts[0]} entries/s with the log, ${rateTexts[1]} with the chain`,
  )
  if (log * tolerance < chain)
    faults.push(`the log is slower than the chain: ${log.toFixed(0)} entries/s, chain ${chain.toFixed(0)}`)
  return faults
}
