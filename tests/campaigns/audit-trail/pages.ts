/** Measures pages of a long trail with twelve filters, against handwritten SQL and against a trail of a tenth of the length. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import pino from 'pino'
import { listTrail } from '#contract/audit-trail.ts'
import type { Caller } from '#domain/access.ts'
import { readConfig } from '#server/config/config.ts'
import type { AppContext, UseCaseContext } from '#server/context/context.ts'
import { openEmbeddedDatabase } from '#server/db/embedded/open.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { vacuumEmbedded } from '#server/jobs/vacuum-embedded.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPaymentMethods } from '#server/context/payment-methods.ts'
import { listEntries } from '#server/use-cases/audit/audit-trail.ts'
import { openDatabase, tokenKey } from '#tests/campaigns/audit-trail/databases.ts'
import { openTestFiles } from '#tests/support/server/files.ts'

const companyId = 7
const start = Date.parse('2025-01-01T00:00:00Z')
/** Time between two entries in ms: one minute, so a day has 1,440 entries. */
const intervalMs = 60_000
const runs = 15
/** Number of rounds. In each round both queries are measured alternately, so that other load on the machine affects both. */
const rounds = 3
/** Maximum growth of a page's time when the trail is ten times as long. Allows for other load on the machine. */
const maxGrowth = 2
/**
 * A page may take at most `maxFactor` times as long as handwritten SQL. If the SQL takes less than `minMs`, `minMs` is used instead.
 * `noiseFactor` allows for measuring errors.
 */
const maxFactor = 3
const minMs = 2
const noiseFactor = 4 / 3

interface PagesDatabase {
  app: AppContext
  close: () => Promise<void>
}

async function openPagesDatabase(engine: 'postgres' | 'embedded', cluster: string): Promise<PagesDatabase> {
  if (engine === 'postgres') return openDatabase(cluster, 'pages')
  const folder = await mkdtemp(join(tmpdir(), 'portal-trail-'))
  const log = pino({ level: 'silent' })
  const database = await openEmbeddedDatabase({ dataDir: folder, freeSpace: { bytes: 0, percent: 0 } }, log)
  const config = readConfig({ TOKEN_KEY: tokenKey })
  const close = async () => {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
  return {
    app: {
      config,
      database,
      log,
      clock: Date.now,
      payments: noPaymentMethods,
      hosting: noHosting,
      backups: noBackups,
      files: openTestFiles(config),
      checkpointStore: noCheckpointStore,
    },
    close,
  }
}

/** Inserts the entries from `from` up to `to` with their log indexes. Hashes are left out, because these queries do not read them. */
async function fillTrail(app: AppContext, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index += 50_000)
    await runInTransaction(app, { role: 'portal_system' }, async (db) => {
      const end = Math.min(to, index + 50_000) - 1
      await sql`
        with made as (
          select n, ${start}::bigint + n::bigint * ${intervalMs} as time,
            (array['user', 'order', 'company', 'service', 'system'])[1 + n % 5] as code,
            case when n % 1009 = 0 then 'reboot' else (array['create', 'update', 'delete', 'print'])[1 + n % 4] end as operation,
            case when n % 5003 = 0 then 99 else 1 + n % 40 end as person,
            case when n % 401 = 0 then -1 else 0 end as status,
            case when n % 3 = 0 then 'intent-' || n end as intent
          from generate_series(${index}::integer, ${end}::integer) n),
        entry as (
          insert into audit_entry (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info,
            intent, request_id, search, leaf)
          select n + 1, ${companyId}, code, operation, person, 'Person ' || person, time, status, '{}', intent, 'r',
            'person ' || person || E'\nservice ' || n % 997,
            '{"actor_company":null,"actor_hash":null,"changes":[{"after":"new value","before":"old value","field":"name"}],"code":"'
              || code || '","company":7,"id":' || n + 1 || ',"info":{"CompanyName":"Acme trading","ServiceCode":"service ' || n % 997
              || '"},"intent":' || coalesce('"' || intent || '"', 'null') || ',"operation":"' || operation
              || '","request_id":"r","salt":"00112233445566778899aabbccddeeff","status":' || status || ',"time":' || time
              || ',"user_id":' || person || ',"user_name":"Person ' || person || '","v":1}'
          from made returning id)
        insert into audit_leaf (company_id, log_index, entry_id) select ${companyId}, id - 1, id from entry`.execute(db)
    })
  // The portal vacuums the embedded engine every minute; PostgreSQL does it by itself.
  await vacuumEmbedded(app)
  if (!app.database.dumpTo) await waitForVacuum(app)
  await sql`analyze audit_entry`.execute(app.database.kysely)
  await sql`analyze audit_leaf`.execute(app.database.kysely)
}

const vacuumTimeoutMs = 240_000

/** Waits until PostgreSQL's autovacuum, which runs once a minute, has processed the inserted rows. */
async function waitForVacuum({ database: { kysely } }: AppContext): Promise<void> {
  const deadline = Date.now() + vacuumTimeoutMs
  for (;;) {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_stat_user_tables
      where relname in ('audit_entry', 'audit_leaf') and n_ins_since_vacuum > 1000 + 0.2 * n_live_tup`.execute(kysely)
    if (rows.length === 0) return
    if (Date.now() > deadline)
      throw new Error(
        `tables were not vacuumed within ${vacuumTimeoutMs} ms: ${rows.map(({ name }) => name).join(', ')}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

interface PageQuery {
  query: Record<string, string | number>
  /** Condition, order and offset of the equivalent handwritten SQL. */
  where: RawBuilder<unknown>
  order?: RawBuilder<unknown>
  offset?: number
}

const day = (dayIndex: number) => start + dayIndex * 86_400_000 - 8 * 3_600_000

function buildPageQueries(entries: number): Record<string, PageQuery> {
  const last = Math.floor((entries * intervalMs) / 86_400_000)
  const date = (dayIndex: number) => new Date(start + dayIndex * 86_400_000).toISOString().slice(0, 10)
  const buildPeriod = (from: number, to: number) =>
    sql`end_time >= ${day(from)}::bigint and end_time < ${day(to)}::bigint`
  return {
    latest: { query: {}, where: sql`true` },
    oldest: { query: { sortOrder: 'asc', sortField: 'end_time' }, where: sql`true`, order: sql`end_time, id` },
    'page 900': { query: { page: 900 }, where: sql`true`, offset: 8_990 },
    type: { query: { code: 'order' }, where: sql`code = 'order'` },
    operation: { query: { operation: 'delete' }, where: sql`operation = 'delete'` },
    'rare operation': { query: { operation: 'reboot' }, where: sql`operation = 'reboot'` },
    'type and operation': {
      query: { code: 'service', operation: 'print' },
      where: sql`code = 'service' and operation = 'print'`,
    },
    'rare person': { query: { user: 99 }, where: sql`exec_user_id = 99` },
    failed: { query: { status: -1 }, where: sql`status = -1` },
    'one day': { query: { dateFrom: date(last - 3), dateTo: date(last - 3) }, where: buildPeriod(last - 3, last - 2) },
    'type in a month': {
      query: { code: 'user', dateFrom: date(last - 40), dateTo: date(last - 11) },
      where: sql`code = 'user' and ${buildPeriod(last - 40, last - 10)}`,
    },
    text: { query: { searchText: 'service 42' }, where: sql`position('service 42' in search) > 0` },
  }
}

const median = (figures: readonly number[]) => figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0

async function measureMedian(work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = []
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now()
    await work()
    durations.push(performance.now() - startedAt)
  }
  return median(durations)
}

/** Returns the median times of both functions in ms. */
async function measureAlternately(
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<[number, number]> {
  const durations: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    durations[0].push(await measureMedian(first))
    durations[1].push(await measureMedian(second))
  }
  return [median(durations[0]), median(durations[1])]
}

const caller: Caller = { userId: 1, companyId, companyCode: 'acme', admin: true, order: false, accessLevel: 0 }

/** Reads a page like a request does, without HTTP: role and fence, rows, count and response format. */
const readPage = (app: AppContext, query: PageQuery['query']) =>
  runInTransaction(
    app,
    { role: 'portal_app', companyId },
    async (db) => {
      const context = { db, app, caller, now: Date.now() } as UseCaseContext
      const input = listTrail.query?.parse({ ...query, ...(query['page'] ? { page: Number(query['page']) } : {}) })
      return listEntries(context, { params: {}, query: input, body: undefined } as Parameters<typeof listEntries>[1])
    },
    'reading',
  )

const readByHand = ({ database }: AppContext, { where, order = sql`end_time desc, id desc`, offset = 0 }: PageQuery) =>
  database.kysely.connection().execute(async (db) => {
    await sql`select entry.*, log_index from (select * from audit_entry where company_id = ${companyId} and ${where}
      order by ${order} limit 10 offset ${offset}) entry left join audit_leaf on entry_id = entry.id`.execute(db)
    await sql`select count(*) from (select from audit_entry where company_id = ${companyId} and ${where} limit 10001) found`.execute(
      db,
    )
  })

export async function measurePages(
  engine: 'postgres' | 'embedded',
  cluster: string,
  entries: number,
): Promise<string[]> {
  const { app, close } = await openPagesDatabase(engine, cluster)
  const tenthOfEntries = Math.floor(entries / 10)
  await fillTrail(app, 0, tenthOfEntries)
  const smallDurations = new Map<string, number>()
  for (const [name, { query }] of Object.entries(buildPageQueries(tenthOfEntries))) {
    // Counting stops at 10,000 entries. Below that number, counting takes longer in a longer trail, so only filters that reached the limit
    // are compared.
    if ((await readPage(app, query)).body.more)
      smallDurations.set(name, await measureMedian(() => readPage(app, query)))
  }
  await fillTrail(app, tenthOfEntries, entries)
  const faults: string[] = []
  for (const [name, pageQuery] of Object.entries(buildPageQueries(entries))) {
    const [listMs, handMs] = await measureAlternately(
      () => readPage(app, pageQuery.query),
      () => readByHand(app, pageQuery),
    )
    const smallMs = smallDurations.get(name) ?? null
    const figures = [listMs, handMs, smallMs].map((duration) => (duration?.toFixed(1) ?? '-').padStart(7)).join(' ')
    console.log(
      `${engine.padEnd(9)} ${name.padEnd(19)} ${figures} ms (of ${entries}; hand-written SQL; of ${tenthOfEntries})`,
    )
    if (listMs > maxFactor * Math.max(handMs, minMs) * noiseFactor)
      faults.push(`${engine}: ${name} takes ${listMs.toFixed(1)} ms, but ${handMs.toFixed(1)} ms with hand-written SQL`)
    if (smallMs !== null && listMs > maxGrowth * Math.max(smallMs, minMs))
      faults.push(`${engine}: ${name} grows from ${smallMs.toFixed(1)} to ${listMs.toFixed(1)} ms`)
  }
  await close()
  return faults
}
