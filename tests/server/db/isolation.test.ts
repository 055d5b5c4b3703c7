import { type RawBuilder, sql } from 'kysely'
import { expect, it } from 'vitest'
import type { DatabaseHandle } from '#server/db/database.ts'
import { insertOrFindJob } from '#server/db/jobs.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { DatabaseTables } from '#server/db/tables/tables.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context/context.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { onBothEngines, bypassPolicies } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'

/** Tables with a company, and the column that contains the company's id. */
const companyColumns: Partial<Record<keyof DatabaseTables, string>> = {
  company: 'id',
  portal_user: 'company_id',
  session: 'company_id',
  seal_key: 'company_id',
  token: 'company_id',
  one_time_key: 'company_id',
  idempotency: 'company_id',
  change: 'company_id',
  tombstone: 'company_id',
  audit_entry: 'company_id',
  failed_sign_in: 'company_id',
  audit_pending: 'company_id',
  audit_leaf: 'company_id',
  audit_tile: 'company_id',
  audit_checkpoint: 'company_id',
  audit_archive: 'company_id',
  job: 'company_id',
  asset: 'company_id',
  service: 'company_id',
  service_app: 'company_id',
  service_password: 'company_id',
  factor: 'company_id',
  recovery_code: 'company_id',
  proof: 'company_id',
  device: 'company_id',
  service_order: 'company_id',
  contract: 'company_id',
  reminder: 'company_id',
  payment: 'company_id',
  payment_attempt: 'company_id',
  payment_group: 'company_id',
  payment_group_item: 'company_id',
  payment_task: 'company_id',
  invoice: 'company_id',
  document: 'company_id',
  refund: 'company_id',
  bank_transfer: 'company_id',
  credit_balance: 'company_id',
  credit_entry: 'company_id',
  proforma: 'company_id',
  credit_note: 'company_id',
  dispute: 'company_id',
  backup_order: 'company_id',
  backup_reminder: 'company_id',
  traffic: 'company_id',
  backup: 'company_id',
  restore: 'company_id',
  traffic_moved: 'company_id',
  ticket: 'company_id',
  price_upload: 'company_id',
  app_upload: 'company_id',
  calendar_feed: 'company_id',
  customer_note: 'company_id',
  acting_consent: 'company_id',
  acting_use: 'company_id',
  notification: 'company_id',
  notification_choice: 'company_id',
  push_device: 'company_id',
}
const tables = Object.keys(companyColumns) as (keyof DatabaseTables)[]
/** Tables that the database role of the companies cannot access at all. */
const closedTables: readonly (keyof DatabaseTables)[] = [
  'device',
  'failed_sign_in',
  'reminder',
  'backup_reminder',
  'payment_task',
  'dispute',
  'bank_transfer',
]
/** Tables that belong to no company; only the provider writes them. */
const sharedTables: readonly (keyof DatabaseTables)[] = [
  'catalogue',
  'module',
  'app_version',
  'app_release',
  'price_list',
  'web_resource',
]
const openTables = tables.filter((table) => !closedTables.includes(table))

/** Inserts one row into every table for each of two companies. */
async function fillTables(app: AppContext): Promise<[own: number, foreign: number]> {
  const companies: number[] = []
  const entryWrites: (() => Promise<void>)[] = []
  for (const code of ['acme', 'globex']) {
    const { companyId, userId } = await addAdmin(app, code)
    companies.push(companyId)
    await runInTransaction(app, system, async (db) => {
      await sql`insert into session values (${code}, ${userId}, ${companyId}, 1, 1, 9, null, null, '', '')`.execute(db)
      await sql`insert into seal_key (user_id, company_id, session_id, key, create_time)
        values (${userId}, ${companyId}, ${code}, ${code}, 1)`.execute(db)
      await sql`insert into token (session_id, user_id, company_id, refresh_hash, access_hash, create_time, access_until,
        refresh_until) values (${code}, ${userId}, ${companyId}, ${`r${code}`}, ${`a${code}`}, 1, 9, 9)`.execute(db)
      await sql`insert into one_time_key values (${code}, ${userId}, ${companyId}, 'reset', 9, null)`.execute(db)
      await sql`insert into ticket values (${code}, 'price', ${userId}, ${companyId}, '{}', 9, null)`.execute(db)
      await sql`insert into price_upload values (${userId}, ${companyId}, ${code}, '{}', 1)`.execute(db)
      await sql`insert into app_upload (id, user_id, company_id, name, size, until, create_time)
        values (${code}, ${userId}, ${companyId}, '', 1, 9, 1)`.execute(db)
      await sql`insert into idempotency (company_id, user_id, key, intent, fingerprint, method, path, state, create_time)
        values (${companyId}, ${userId}, 'k', 'k', '', 'POST', '', 'open', 1)`.execute(db)
      await sql`insert into asset (name, company_id, user_id, type, bytes, create_time)
        values (${code}, ${companyId}, ${userId}, 'image/webp', '', 1)`.execute(db)
      await sql`insert into service (company_id, code, name, create_time, update_time)
        values (${companyId}, ${code}, '', 1, 1)`.execute(db)
      await buildAppVersionInsert(code).execute(db)
      await sql`insert into service_app (service_id, company_id, code, version)
        select id, ${companyId}::integer, ${code}, '1' from service where code = ${code}`.execute(db)
      await sql`insert into service_password (service_id, company_id, user_id, sealed, until)
        select id, ${companyId}::integer, ${userId}::integer, '', 1 from service where code = ${code}`.execute(db)
      await sql`insert into factor (user_id, company_id, kind, name, secret, create_time)
        values (${userId}, ${companyId}, 'totp', '', '', 1)`.execute(db)
      await sql`insert into recovery_code values (${code}, ${userId}, ${companyId}, null)`.execute(db)
      await sql`insert into proof (hash, user_id, company_id, password_print, challenge, until)
        values (${code}, ${userId}, ${companyId}, '', '', 9)`.execute(db)
      await sql`insert into notification (user_id, company_id, kind, event_key, facts, is_listed, create_time)
        values (${userId}, ${companyId}, 'new-device', '', '{}', true, 1)`.execute(db)
      await sql`insert into notification_choice values (${userId}, ${companyId}, '{}')`.execute(db)
      await sql`insert into push_device (user_id, company_id, session_id, endpoint, p256dh, auth, create_time)
        values (${userId}, ${companyId}, ${code}, ${code}, '', '', 1)`.execute(db)
      await sql`insert into calendar_feed values (${userId}, ${companyId}, ${code}, 1)`.execute(db)
      await sql`insert into customer_note (company_id, customer_id, author_id, author_name, note, create_time, update_time)
        values (${companyId}, ${companyId}, ${userId}, '', 'x', 1, 1)`.execute(db)
      await sql`insert into acting_consent (id, company_id, giver_id, giver_name, reason, create_time, until_time)
        values (${companyId}, ${companyId}, ${userId}, '', '', 1, 2)`.execute(db)
      await sql`insert into acting_use (company_id, consent_id, user_id, user_name, session_id, start_time)
        values (${companyId}, ${companyId}, ${userId}, '', ${code}, 1)`.execute(db)
      await sql`insert into device values (${code}, ${userId}, ${companyId}, 1, 1)`.execute(db)
      await sql`insert into tombstone values (${companyId}, 'user', 1, 1, 1)`.execute(db)
      await fillOrders(db, companyId, code)
      await insertOrFindJob(db, {
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
      await sql`insert into failed_sign_in values (${userId}, ${companyId}, ${code}, 1, 1, 1)`.execute(db)
    })
    const entry = { companyId, userId, now: 1, status: 0 as const, intent: null, requestId: '' }
    entryWrites.push(() =>
      runInTransaction(app, system, (db) =>
        addAuditEntries(db, entry, [{ code: 'user', operation: 'create', info: {} }]),
      ),
    )
  }
  for (const write of entryWrites) await write()
  await integrate(app)
  // Only a database function of the schema owner writes to this table, so the policies are bypassed.
  await bypassPolicies(app.database, async (db) => {
    for (const companyId of companies)
      await sql`insert into audit_archive values (${companyId}, 0, 256, ${'0'.repeat(64)}, 1)`.execute(db)
  })
  // One audit entry of each company is left waiting for its log position.
  for (const write of entryWrites) await write()
  return companies as [number, number]
}

/** Inserts the first version of an app. */
const buildAppVersionInsert = (
  code: string,
) => sql`insert into app_version (provider, code, code_key, name, name_key, module, version,
  flags, requires, change, create_time) values ('m18', ${code}, ${code}, '', '', '', '1', '[]', '[]', 1, 1)`

/** Inserts an order with a row in every table that can refer to one. */
async function fillOrders(db: DatabaseHandle, companyId: number, code: string): Promise<void> {
  const { rows } = await sql<{ id: number }>`
    insert into price_list (type, effective_date, description, description_key, confirmed, content, update_user_name,
      change, create_time, update_time)
    values ('saas', ${code}, '', '', true, '{}', '', 1, 1, 1) returning id`.execute(db)
  const priceId = rows[0]?.id ?? 0
  const agreedValues = sql`'HKD', 'NAMED', 1, '[]', 0, 'saas', ${priceId}::integer, 1, 1, 0, 1, 1, 1, '', ''`
  const columns = sql`currency, user_mode, users, modules, uat, client_type, price_id, annual, contract_amount,
    residual_amount, amount, pay_amount, period, period_start, period_end`
  const createdOrders = await sql<{ id: number }>`
    insert into service_order (company_id, code, name, name_key, type, stored, ${columns}, uat_bound, steps, due, change,
      create_time, update_time)
    values (${companyId}, ${code}, '', '', 'create', 'paid', ${agreedValues}, 'floor', '[]', '', 1, 1, 1)
    returning id`.execute(db)
  const order = createdOrders.rows[0]?.id ?? 0
  await sql`insert into contract (company_id, code, service_code, order_id, type, ${columns}, segments, create_time)
    values (${companyId}, ${code}, ${code}, ${order}, 'create', ${agreedValues}, '[]', 1)`.execute(db)
  await sql`insert into reminder values (${order}, 'due', 1, ${companyId}, 1)`.execute(db)
  await sql`insert into payment (company_id, order_id, gateway, reference, amount, currency, paid_at, outcome, create_time)
    values (${companyId}, ${order}, 'none', ${code}, 1, 'HKD', 1, 'applied', 1)`.execute(db)
  await sql`insert into payment_task (company_id, payment_id, state, create_time, update_time)
    select company_id, id, 'open', 1, 1 from payment where reference = ${code}`.execute(db)
  await sql`insert into payment_attempt (company_id, order_id, key, gateway, amount, currency, language, device, state, started_at)
    values (${companyId}, ${order}, ${code}, 'stripe', 1, 'HKD', 'en', '', 'open', 1)`.execute(db)
  await sql`insert into payment_group (company_id, items, create_time) values (${companyId}, ${code}, 1)`.execute(db)
  await sql`insert into payment_group_item (group_id, company_id, order_id)
    select id, company_id, ${order}::integer from payment_group where items = ${code}`.execute(db)
  await sql`insert into invoice (company_id, code, order_id, content, create_time)
    values (${companyId}, ${code}, ${order}, ${JSON.stringify({
      issued: '2026-03-02 10:00:00',
      service: { code, name: code },
      currency: 'HKD',
      pay_amount: '1.00',
      payment: { gateway: 'none', reference: code },
    })}::jsonb, 1)`.execute(db)
  await sql`insert into refund (company_id, payment_id, invoice_id, amount, currency, route, cause, reason, transfer_date, state,
      reference, create_time, update_time, end_time)
    select p.company_id, p.id, i.id, 1, 'HKD', 'transfer', 'staff', 'x', '2026-03-02', 'done', ${code}, 1, 1, 1
    from payment p join invoice i on i.order_id = p.order_id where p.reference = ${code}`.execute(db)
  await sql`insert into credit_note (company_id, invoice_id, refund_id, code, content, create_time)
    select company_id, invoice_id, id, ${`CN${code}`}, ${JSON.stringify({
      issued: '2026-03-02 10:00:00',
      currency: 'HKD',
      amount: '1.00',
      refund: { method: 'transfer', reference: code },
    })}::jsonb, 1 from refund where reference = ${code}`.execute(db)
  await sql`insert into bank_transfer (company_id, identity, source, account, day, currency, amount, sender, reference,
      bank_reference, state, create_time, update_time)
    values (${companyId}, ${code}, 'staff', '', '2026-03-01', 'HKD', 1, 'x', '', ${code}, 'credited', 1, 1)`.execute(db)
  await sql`insert into credit_balance values (${companyId}, 'HKD', 1)`.execute(db)
  await sql`insert into credit_entry (company_id, currency, cause, amount, balance, transfer_id, create_time)
    select company_id, 'HKD', 'transfer', 1, 1, id, 1 from bank_transfer where identity = ${code}`.execute(db)
  await sql`insert into proforma (company_id, order_id, code, currency, amount, credit, content, create_time)
    select company_id, order_id, ${`PF-${code}`}, 'HKD', 2, 1, '{}', 1 from payment
    where reference = ${code}`.execute(db)
  await sql`insert into dispute (company_id, payment_id, gateway, reference, amount, currency, reason, is_inquiry, state, next_look,
      create_time, update_time)
    select company_id, id, gateway, reference, 1, 'HKD', 'x', false, 'open', 1, 1, 1 from payment where reference = ${code}`.execute(
    db,
  )
  const service = sql`(select id from service where code = ${code})`
  await sql`insert into backup_order (company_id, service_id, service_code, price_id, currency, pdb_type, period, period_type,
      period_start, period_end, annual, discount, amount, pay_amount, status, steps, change, create_time, update_time)
    values (${companyId}, ${service}, ${code}, ${priceId}, 'HKD', 'pdb2s3', 1, 'year', '2026-03-02', '2027-03-02', 1, 0, 1, 1,
      0, '[]', 1, 1, 1)`.execute(db)
  await sql`insert into backup_reminder
    select id, 'due', 1, company_id, 1 from backup_order where service_code = ${code}`.execute(db)
  await sql`insert into traffic (company_id, service_id, service_code, price_id, currency, period_end, pdb_traffic, free,
      price, amount, steps, change, create_time, update_time)
    values (${companyId}, ${service}, ${code}, ${priceId}, 'HKD', '2026-04-01', 1, 1, 1, 0, '[]', 1, 1, 1)`.execute(db)
  await sql`insert into backup (company_id, service_id, service_code, pdb_type, state, cause, by_provider, progress_key, change,
      create_time, update_time)
    values (${companyId}, ${service}, ${code}, 'pdb2s3', 'running', 'schedule', false, '', 1, 1, 1)`.execute(db)
  await sql`insert into restore (company_id, backup_id, kind, state, create_time)
    select company_id, id, 'drill', 'running', 1 from backup where company_id = ${companyId}`.execute(db)
  await sql`insert into traffic_moved values (${companyId}, ${service}, ${code}, '2026-03', 1)`.execute(db)
}

const readOwners = async (
  app: AppContext,
  scope: Parameters<typeof runInTransaction>[1],
  table: keyof DatabaseTables,
): Promise<number[]> => {
  const column = sql.ref(companyColumns[table] ?? '')
  const result = await runInTransaction(app, scope, (db) =>
    // Deliberately without a condition: only row-level security restricts the rows (N-10).
    sql<{ owner: number }>`select distinct ${column} as owner from ${sql.table(table)} order by 1`.execute(db),
  )
  return result.rows.map(({ owner }) => owner)
}

onBothEngines('row-level security without query conditions', (app) => {
  it('hides rows of other companies in all tables from a query without a condition (N-10)', async () => {
    const [ownCompany, foreignCompany] = await fillTables(app)
    for (const table of closedTables)
      await expect(readOwners(app, { role: 'portal_app', companyId: ownCompany }, table)).rejects.toMatchObject({
        code: '42501',
      })
    for (const table of openTables) {
      expect({ table, owners: await readOwners(app, { role: 'portal_app', companyId: ownCompany }, table) }).toEqual({
        table,
        owners: [ownCompany],
      })
      expect(await readOwners(app, system, table)).toEqual([ownCompany, foreignCompany])
    }
  })

  it('returns no rows if no company is set or the company does not exist (N-11)', async () => {
    await fillTables(app)
    for (const table of openTables) {
      const result = await app.database.kysely.transaction().execute(async (db) => {
        await sql`set local role portal_app`.execute(db)
        return sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
      })
      expect({ table, count: result.rows[0]?.count }).toEqual({ table, count: 0 })
      expect(await readOwners(app, { role: 'portal_app', companyId: 0 }, table)).toEqual([])
    }
  })

  it('prevents changing, taking over or inserting rows of another company', async () => {
    const [ownCompany, foreignCompany] = await fillTables(app)
    const runAsOwn = <T>(callback: Parameters<typeof runInTransaction<T>>[2]) =>
      runInTransaction(app, { role: 'portal_app', companyId: ownCompany }, callback)
    const updateResult = await runAsOwn((db) => db.updateTable('portal_user').set({ name: 'taken' }).executeTakeFirst())
    expect(Number(updateResult.numUpdatedRows)).toBe(1)
    await expect(
      runAsOwn((db) => sql`update portal_user set company_id = ${foreignCompany}`.execute(db)),
    ).rejects.toMatchObject({
      code: '42501',
    })
    await expect(
      runAsOwn((db) => sql`insert into tombstone values (${foreignCompany}, 'user', 5, 1, 1)`.execute(db)),
    ).rejects.toMatchObject({ code: '42501' })
  })

  it('is forced on every table with a company, for roles that cannot bypass it (N-11)', async () => {
    const { kysely } = app.database
    const protectedTables = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relrowsecurity and relforcerowsecurity order by 1`.execute(kysely)
    const tablesWithCompany = await sql<{ name: string }>`
      select table_name as name from information_schema.columns
        where table_schema = 'public' and column_name = 'company_id'`.execute(kysely)
    expect(protectedTables.rows.map(({ name }) => name)).toEqual([...tables, ...sharedTables].sort())
    // A view with security_invoker shows only the rows that its reader may see in the tables.
    const views = await sql<{ name: string }>`
      select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'
        and 'security_invoker=true' = any(reloptions)`.execute(kysely)
    const tableNames = [...tables, ...views.rows.map(({ name }) => name)]
    for (const { name } of tablesWithCompany.rows) expect(tableNames).toContain(name)
    const roles = await sql<Record<string, boolean>>`
      select rolsuper, rolbypassrls, rolcanlogin, rolcreatedb, rolcreaterole, rolinherit from pg_roles
        where rolname in ('portal_app', 'portal_system')`.execute(kysely)
    expect(roles.rows).toHaveLength(2)
    for (const role of roles.rows) expect(Object.values(role)).not.toContain(true)
    const ownedTables = await sql`select 1 from pg_class join pg_roles on pg_roles.oid = relowner
      where rolname in ('portal_app', 'portal_system')`.execute(kysely)
    expect(ownedTables.rows).toEqual([])
  })

  it('lets every company read the catalogue, and only the provider write it', async () => {
    const provider = await addAdmin(app, 'm18')
    const [ownCompany] = await fillTables(app)
    const runAsCompany = (companyId: number, statement: RawBuilder<unknown>) =>
      runInTransaction(app, { role: 'portal_app', companyId }, (db) => statement.execute(db))
    const insertModule = sql`insert into module (type, code, code_key, name, name_key, hidden, dependencies, conditions,
      any_condition, apps, change, create_time, update_time)
      values ('saas', 'crm', 'crm', '', '', false, '[]', '[]', false, '[]', 1, 1, 1)`
    await expect(runAsCompany(ownCompany, insertModule)).rejects.toMatchObject({ code: '42501' })
    await expect(runAsCompany(0, insertModule)).rejects.toMatchObject({ code: '42501' })
    await runAsCompany(provider.companyId, insertModule)
    const renameModules = sql`update module set name = 'taken'`
    expect((await runAsCompany(ownCompany, renameModules)).numAffectedRows).toBe(0n)
    expect((await runAsCompany(ownCompany, sql`update price_list set confirmed = false`)).numAffectedRows).toBe(0n)
    expect((await runAsCompany(ownCompany, sql`select 1 from module`)).rows).toHaveLength(1)
    expect((await runAsCompany(provider.companyId, renameModules)).numAffectedRows).toBe(1n)
    await expect(runAsCompany(provider.companyId, sql`delete from module`)).rejects.toMatchObject({ code: '42501' })
    await expect(runAsCompany(ownCompany, buildAppVersionInsert('crm'))).rejects.toMatchObject({ code: '42501' })
    await runAsCompany(provider.companyId, buildAppVersionInsert('crm'))
    expect((await runAsCompany(ownCompany, sql`select 1 from app_version where code = 'crm'`)).rows).toHaveLength(1)
    for (const statement of [sql`update app_version set name = 'taken'`, sql`delete from app_version`])
      await expect(runAsCompany(provider.companyId, statement)).rejects.toMatchObject({ code: '42501' })
  })

  it('gives no right to change the schema (S-83)', async () => {
    for (const scope of [{ role: 'portal_app', companyId: 1 }, system] as const)
      for (const statement of [sql`create table mine (x int)`, sql`alter table audit_entry disable row level security`])
        await expect(runInTransaction(app, scope, (db) => statement.execute(db))).rejects.toMatchObject({
          code: '42501',
        })
  })

  it('leaves no role or company set on the connection', async () => {
    const [ownCompany] = await fillTables(app)
    await runInTransaction(app, { role: 'portal_app', companyId: ownCompany }, (db) => sql`select 1`.execute(db))
    await runInTransaction(app, { role: 'portal_app', companyId: ownCompany }, async () => {
      throw new Error('given up')
    }).catch(() => undefined)
    const { rows } = await sql<{ role: string; company: string | null }>`
      select current_user as role, current_setting('app.company', true) as company`.execute(app.database.kysely)
    expect(rows[0]?.role).toBe('postgres')
    expect(rows[0]?.company ?? '').toBe('')
  })
})
