/** Pages of a long trail, by twelve ways to narrow it: against SQL written by hand, and against a trail of a tenth. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import pino from 'pino'
import { listTrail } from '#contract/audit-trail.ts'
import type { Caller } from '#domain/access.ts'
import { readConfig } from '#server/config/config.ts'
import type { AppContext, UseCaseContext } from '#server/context/context.ts'
import { openEmbedded } from '#server/db/embedded/open.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { vacuumEmbedded } from '#server/jobs/vacuum-embedded.ts'
import { noBackups } from '#server/context/backup-places.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/driver.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPayments } from '#server/context/payment-methods.ts'
import { list } from '#server/use-cases/audit/audit-trail.ts'
import { openDatabase, tokenKey } from '#tests/campaigns/audit-trail/databases.ts'

const company = 7
const start = Date.parse('2025-01-01T00:00:00Z')
/** An entry a minute, so that a day has 1,440. */
const apart = 60_000
const runs = 15
/** Ours and what is written by hand take turns, so that what else the machine does meets both. */
const rounds = 3
/** A machine that is busy with something else: so much more may a page of ten times the trail take. */
const grows = 2
/** So many times what is written by hand, whose own time counts as at least so many ms; a third more is the clock's. */
const times = 3
const least = 2
const noise = 4 / 3

interface Opened {
  app: AppContext
  close: () => Promise<void>
}

async function open(engine: 'postgres' | 'embedded', cluster: string): Promise<Opened> {
  if (engine === 'postgres') return openDatabase(cluster, 'pages')
  const folder = await mkdtemp(join(tmpdir(), 'portal-trail-'))
  const log = pino({ level: 'silent' })
  const database = await openEmbedded({ dataDir: folder, freeSpace: { bytes: 0, percent: 0 } }, log)
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
      payments: noPayments,
      hosting: noHosting,
      backups: noBackups,
      checkpointStore: noCheckpointStore,
    },
    close,
  }
}

/** Entries from `from` up to `to`, with their places; what is not asked for here, the hashes, is left out. */
async function fill(app: AppContext, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 50_000)
    await inTransaction(app, { role: 'portal_system' }, async (db) => {
      const end = Math.min(to, at + 50_000) - 1
      await sql`
        with made as (
          select n, ${start}::bigint + n::bigint * ${apart} as time,
            (array['user', 'order', 'company', 'service', 'system'])[1 + n % 5] as code,
            case when n % 1009 = 0 then 'reboot' else (array['create', 'update', 'delete', 'print'])[1 + n % 4] end as operation,
            case when n % 5003 = 0 then 99 else 1 + n % 40 end as person,
            case when n % 401 = 0 then -1 else 0 end as status,
            case when n % 3 = 0 then 'intent-' || n end as intent
          from generate_series(${at}::integer, ${end}::integer) n),
        entry as (
          insert into audit_entry (id, company_id, code, operation, exec_user_id, exec_user_name, end_time, status, info,
            intent, request_id, search, leaf)
          select n + 1, ${company}, code, operation, person, 'Person ' || person, time, status, '{}', intent, 'r',
            'person ' || person || E'\nservice ' || n % 997,
            '{"actor_company":null,"actor_hash":null,"changes":[{"after":"new value","before":"old value","field":"name"}],"code":"'
              || code || '","company":7,"id":' || n + 1 || ',"info":{"CompanyName":"Acme trading","ServiceCode":"service ' || n % 997
              || '"},"intent":' || coalesce('"' || intent || '"', 'null') || ',"operation":"' || operation
              || '","request_id":"r","salt":"00112233445566778899aabbccddeeff","status":' || status || ',"time":' || time
              || ',"user_id":' || person || ',"user_name":"Person ' || person || '","v":1}'
          from made returning id)
        insert into audit_leaf (company_id, log_index, entry_id) select ${company}, id - 1, id from entry`.execute(db)
    })
  // As the portal does of the embedded engine each minute, and PostgreSQL by itself.
  await vacuumEmbedded(app)
  if (!app.database.dumpTo) await vacuumedByItself(app)
  await sql`analyze audit_entry`.execute(app.database.kysely)
  await sql`analyze audit_leaf`.execute(app.database.kysely)
}

const patienceMs = 240_000

/** Until PostgreSQL's autovacuum, which looks once a minute, has nothing left to do with what was inserted. */
async function vacuumedByItself({ database: { kysely } }: AppContext): Promise<void> {
  const until = Date.now() + patienceMs
  for (;;) {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_stat_user_tables
      where relname in ('audit_entry', 'audit_leaf') and n_ins_since_vacuum > 1000 + 0.2 * n_live_tup`.execute(kysely)
    if (rows.length === 0) return
    if (Date.now() > until)
      throw new Error(`not vacuumed within ${patienceMs} ms: ${rows.map(({ name }) => name).join(', ')}`)
    await new Promise((on) => setTimeout(on, 1000))
  }
}

interface Way {
  query: Record<string, string | number>
  /** The same, as one would write it by hand. */
  where: RawBuilder<unknown>
  order?: RawBuilder<unknown>
  offset?: number
}

const day = (n: number) => start + n * 86_400_000 - 8 * 3_600_000

function waysOf(entries: number): Record<string, Way> {
  const last = Math.floor((entries * apart) / 86_400_000)
  const date = (n: number) => new Date(start + n * 86_400_000).toISOString().slice(0, 10)
  const between = (from: number, to: number) => sql`end_time >= ${day(from)}::bigint and end_time < ${day(to)}::bigint`
  return {
    newest: { query: {}, where: sql`true` },
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
    'one day': { query: { dateFrom: date(last - 3), dateTo: date(last - 3) }, where: between(last - 3, last - 2) },
    'type in a month': {
      query: { code: 'user', dateFrom: date(last - 40), dateTo: date(last - 11) },
      where: sql`code = 'user' and ${between(last - 40, last - 10)}`,
    },
    text: { query: { searchText: 'service 42' }, where: sql`position('service 42' in search) > 0` },
  }
}

const median = (all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let at = 0; at < runs; at++) {
    const began = performance.now()
    await work()
    took.push(performance.now() - began)
  }
  return median(took)
}

/** Of each the median of its rounds, ms. */
async function inTurns(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<[number, number]> {
  const took: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    took[0].push(await medianOf(one))
    took[1].push(await medianOf(other))
  }
  return [median(took[0]), median(took[1])]
}

const caller: Caller = { userId: 1, companyId: company, companyCode: 'acme', admin: true, order: false, accessLevel: 0 }

/** As a request is answered, without HTTP: role and fence, the rows, the count, the shape. */
const ours = (app: AppContext, query: Way['query']) =>
  inTransaction(
    app,
    { role: 'portal_app', companyId: company },
    async (db) => {
      const context = { db, app, caller, now: Date.now() } as UseCaseContext
      const input = listTrail.query?.parse({ ...query, ...(query['page'] ? { page: Number(query['page']) } : {}) })
      return list(context, { params: {}, query: input, body: undefined } as Parameters<typeof list>[1])
    },
    'reading',
  )

const byHand = ({ database }: AppContext, { where, order = sql`end_time desc, id desc`, offset = 0 }: Way) =>
  database.kysely.connection().execute(async (db) => {
    await sql`select entry.*, log_index from (select * from audit_entry where company_id = ${company} and ${where}
      order by ${order} limit 10 offset ${offset}) entry left join audit_leaf on entry_id = entry.id`.execute(db)
    await sql`select count(*) from (select from audit_entry where company_id = ${company} and ${where} limit 10001) found`.execute(
      db,
    )
  })

export async function measurePages(
  engine: 'postgres' | 'embedded',
  cluster: string,
  entries: number,
): Promise<string[]> {
  const { app, close } = await open(engine, cluster)
  const tenth = Math.floor(entries / 10)
  await fill(app, 0, tenth)
  const small = new Map<string, number>()
  for (const [name, { query }] of Object.entries(waysOf(tenth))) {
    // Counting ends at 10,000: what has fewer here is counted for longer in a longer trail, and no longer than that.
    if ((await ours(app, query)).body.more) small.set(name, await medianOf(() => ours(app, query)))
  }
  await fill(app, tenth, entries)
  const wrong: string[] = []
  for (const [name, way] of Object.entries(waysOf(entries))) {
    const [took, hand] = await inTurns(
      () => ours(app, way.query),
      () => byHand(app, way),
    )
    const before = small.get(name) ?? null
    const said = [took, hand, before].map((ms) => (ms?.toFixed(1) ?? '-').padStart(7)).join(' ')
    console.log(`${engine.padEnd(9)} ${name.padEnd(19)} ${said} ms (of ${entries}; by hand; of ${tenth})`)
    if (took > times * Math.max(hand, least) * noise)
      wrong.push(`${engine}: ${name} takes ${took.toFixed(1)} ms, by hand ${hand.toFixed(1)}`)
    if (before !== null && took > grows * Math.max(before, least))
      wrong.push(`${engine}: ${name} grows from ${before.toFixed(1)} to ${took.toFixed(1)} ms`)
  }
  await close()
  return wrong
}
