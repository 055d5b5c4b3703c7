import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { inScope } from '#server/db/scope.ts'
import { insertJob } from '#server/db/jobs.ts'
import type { Tables } from '#server/db/tables.ts'
import { addToTrail } from '#server/db/trail.ts'
import type { House } from '#server/house.ts'
import { onBothEngines } from '#tests/support/database.ts'
import { addAdmin, system } from '#tests/support/people.ts'

/** Tables with a company, and the column that says whose row it is. */
const tenants: Partial<Record<keyof Tables, string>> = {
  company: 'id',
  portal_user: 'company_id',
  session: 'company_id',
  token: 'company_id',
  one_time_key: 'company_id',
  ledger: 'company_id',
  change: 'company_id',
  tombstone: 'company_id',
  trail: 'company_id',
  job: 'company_id',
}
const tables = Object.keys(tenants) as (keyof Tables)[]

/** One row in every table, for each of two companies. */
async function fill(house: House): Promise<[own: number, foreign: number]> {
  const companies: number[] = []
  for (const code of ['acme', 'globex']) {
    const { companyId, userId } = await addAdmin(house, code)
    companies.push(companyId)
    await inScope(house, system, async (db) => {
      await sql`insert into session values (${code}, ${userId}, ${companyId}, 1, 1, 9, null, null, '', '')`.execute(db)
      await sql`insert into token (session_id, user_id, company_id, refresh_hash, access_hash, create_time, access_until,
        refresh_until) values (${code}, ${userId}, ${companyId}, ${`r${code}`}, ${`a${code}`}, 1, 9, 9)`.execute(db)
      await sql`insert into one_time_key values (${code}, ${userId}, ${companyId}, 'reset', 9, null)`.execute(db)
      await sql`insert into ledger (company_id, user_id, key, intent, fingerprint, method, path, state, create_time)
        values (${companyId}, ${userId}, 'k', 'k', '', 'POST', '', 'open', 1)`.execute(db)
      await sql`insert into tombstone values (${companyId}, 'user', 1, 1, 1)`.execute(db)
      await insertJob(db, {
        id: code,
        companyId,
        userId,
        intent: 'k',
        kind: 'verify-trail',
        input: {},
        progressKey: code,
        now: 1,
        deadline: 2,
      })
      await addToTrail(db, { companyId, userId, now: 1, status: 0, intent: null, requestId: '' }, [
        { code: 'user', operation: 'create', info: {} },
      ])
    })
  }
  return companies as [number, number]
}

const ownersIn = async (house: House, scope: Parameters<typeof inScope>[1], table: keyof Tables): Promise<number[]> => {
  const column = sql.ref(tenants[table] ?? '')
  const found = await inScope(house, scope, (db) =>
    // Deliberately without a condition: the query's own fence is taken away (N-10).
    sql<{ owner: number }>`select distinct ${column} as owner from ${sql.table(table)} order by 1`.execute(db),
  )
  return found.rows.map(({ owner }) => owner)
}

onBothEngines('row-level security alone', (the) => {
  it('shows nothing of another company, in any table, to a query without a condition (N-10)', async () => {
    const [own, foreign] = await fill(the)
    for (const table of tables) {
      expect({ table, owners: await ownersIn(the, { role: 'portal_app', companyId: own }, table) }).toEqual({
        table,
        owners: [own],
      })
      expect(await ownersIn(the, system, table)).toEqual([own, foreign])
    }
  })

  it('shows no row at all while no company is set, or one that does not exist (N-11)', async () => {
    await fill(the)
    for (const table of tables) {
      const unset = await the.database.kysely.transaction().execute(async (db) => {
        await sql`set local role portal_app`.execute(db)
        return sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
      })
      expect({ table, count: unset.rows[0]?.count }).toEqual({ table, count: 0 })
      expect(await ownersIn(the, { role: 'portal_app', companyId: 0 }, table)).toEqual([])
    }
  })

  it('lets nobody change, take over or plant rows of another company', async () => {
    const [own, foreign] = await fill(the)
    const asOwn = <T>(work: Parameters<typeof inScope<T>>[2]) =>
      inScope(the, { role: 'portal_app', companyId: own }, work)
    const changed = await asOwn((db) => db.updateTable('portal_user').set({ name: 'taken' }).executeTakeFirst())
    expect(Number(changed.numUpdatedRows)).toBe(1)
    await expect(asOwn((db) => sql`update portal_user set company_id = ${foreign}`.execute(db))).rejects.toMatchObject({
      code: '42501',
    })
    await expect(
      asOwn((db) => sql`insert into tombstone values (${foreign}, 'user', 5, 1, 1)`.execute(db)),
    ).rejects.toMatchObject({ code: '42501' })
  })

  it('holds for every table that has a company, forced, under roles that cannot step over it (N-11)', async () => {
    const { kysely } = the.database
    const fenced = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relrowsecurity and relforcerowsecurity order by 1`.execute(kysely)
    const withCompany = await sql<{ name: string }>`
      select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'company_id'`.execute(kysely)
    expect(fenced.rows.map(({ name }) => name)).toEqual([...tables].sort())
    for (const { name } of withCompany.rows) expect(tables).toContain(name)
    const roles = await sql<Record<string, boolean>>`
      select rolsuper, rolbypassrls, rolcanlogin, rolcreatedb, rolcreaterole, rolinherit from pg_roles
        where rolname in ('portal_app', 'portal_system')`.execute(kysely)
    expect(roles.rows).toHaveLength(2)
    for (const role of roles.rows) expect(Object.values(role)).not.toContain(true)
    const owned = await sql`select 1 from pg_class join pg_roles on pg_roles.oid = relowner
      where rolname in ('portal_app', 'portal_system')`.execute(kysely)
    expect(owned.rows).toEqual([])
  })

  it('comes with no right to change the schema (S-83)', async () => {
    for (const scope of [{ role: 'portal_app', companyId: 1 }, system] as const)
      for (const statement of [sql`create table mine (x int)`, sql`alter table trail disable row level security`])
        await expect(inScope(the, scope, (db) => statement.execute(db))).rejects.toMatchObject({ code: '42501' })
  })

  it('leaves nothing of a role or a company behind on the connection', async () => {
    const [own] = await fill(the)
    await inScope(the, { role: 'portal_app', companyId: own }, (db) => sql`select 1`.execute(db))
    await inScope(the, { role: 'portal_app', companyId: own }, async () => {
      throw new Error('given up')
    }).catch(() => undefined)
    const { rows } = await sql<{ role: string; company: string | null }>`
      select current_user as role, current_setting('app.company', true) as company`.execute(the.database.kysely)
    expect(rows[0]?.role).toBe('postgres')
    expect(rows[0]?.company ?? '').toBe('')
  })
})
