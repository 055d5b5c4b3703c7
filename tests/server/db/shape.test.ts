import { sql } from 'kysely'
import { describe, expect, inject, it, vi } from 'vitest'
import { isCanonical } from '#domain/audit-log/canonical.ts'
import { readLeaf } from '#domain/audit-log/leaf.ts'
import type { Database } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { listMigrationNames } from '#server/db/migrations/index.ts'
import { openBare } from '#tests/support/server/bare-database.ts'
import { eachEngine, type Engine, openTestDatabase } from '#tests/support/server/database.ts'

// Creating a database takes seconds on an idle machine.
vi.setConfig({ testTimeout: 90_000 })

/** Returns everything that affects statements: columns, keys, indexes, triggers, policies and rights. */
async function readShape({ kysely }: Pick<Database, 'kysely'>): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' ', 'column', table_name, column_name, data_type, is_nullable, column_default, collation_name) as line
      from information_schema.columns where table_schema = 'public'
    union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
    union all select concat_ws(' ', 'index', indexdef) from pg_indexes where schemaname = 'public'
    union all select concat_ws(' ', 'trigger', pg_get_triggerdef(oid)) from pg_trigger where not tgisinternal
    union all select concat_ws(' ', 'policy', tablename, policyname, roles, cmd, qual, with_check)
      from pg_policies where schemaname = 'public'
    union all select concat_ws(' ', 'table', relname, relrowsecurity, relforcerowsecurity)
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    union all select concat_ws(' ', 'function', proname, prosrc) from pg_proc where pronamespace = 'public'::regnamespace
    union all select concat_ws(' ', 'right', grantee, table_name, privilege_type)
      from information_schema.role_table_grants where grantee like 'portal\_%'
    order by 1`.execute(kysely)
  return rows.map(({ line }) => line)
}

const userValues = sql`1, 'Ana', 'ana', 'ana@acme.example', 'ana@acme.example', true, true, false, 1, 'en', 0, 'her first', 1, 1, 1`

/** Inserts a logged-in user of a version in which all sessions of a user shared one seal key. */
async function insertUserWithSealKey({ kysely }: Pick<Database, 'kysely'>): Promise<void> {
  await sql`insert into company (code, name, create_time, update_time) values ('acme', 'Acme', 1, 1)`.execute(kysely)
  await sql`insert into portal_user (title, name, name_key, email, email_key, admin, orders, alert, status, language,
      access_level, seal_key, change, create_time, update_time, company_id)
    select ${userValues}, id from company`.execute(kysely)
  await sql`insert into session select 'former', id, company_id, 1, 1, 9, null, null, '', '' from portal_user`.execute(
    kysely,
  )
}

/** Inserts audit entries of the old hash chain, one of which was changed later in the database. */
async function insertAuditEntries({ kysely }: Pick<Database, 'kysely'>): Promise<void> {
  const info = sql`${JSON.stringify({ UserName: '陈"美玲', half: 0.5, list: [1, null] })}::jsonb`
  for (const [operation, storedInfo] of [
    ['create', info],
    ['update', sql`'{"at": 1}'::jsonb`],
    ['delete', sql`'{}'::jsonb`],
  ] as const)
    await sql`insert into trail (id, company_id, code, operation, exec_user_name, end_time, status, info, request_id)
      values (0, 7, 'user', ${operation}, 'Ana', 5, 0, ${storedInfo}, 'r')`.execute(kysely)
  await sql`alter table trail disable trigger user`.execute(kysely)
  await sql`update trail set info = '{"at": 99}' where id = 2`.execute(kysely)
  await sql`alter table trail enable trigger user`.execute(kysely)
}

/** Inserts two months of traffic of one service from a version that did not close months, and a service without traffic. */
async function insertTraffic({ kysely }: Pick<Database, 'kysely'>): Promise<void> {
  await sql`insert into service (company_id, code, name, create_time, update_time)
    select id, one.code, '', 1, 1 from company, (values ('metered'), ('other')) one (code)`.execute(kysely)
  await sql`insert into price_list (type, effective_date, description, description_key, confirmed, content, update_user_name,
    change, create_time, update_time) values ('saas', '2026-01-01', '', '', true, '{}', '', 1, 1, 1)`.execute(kysely)
  await sql`insert into traffic (company_id, service_id, service_code, price_id, currency, period_end, pdb_traffic, free, price,
      amount, steps, change, create_time, update_time)
    select s.company_id, s.id, s.code, p.id, 'HKD', one.period_end, 1, 1, 1, 0, '[]', 1, 1, 1
    from service s, price_list p, (values ('2026-12-01'), ('2027-01-01')) one (period_end) where s.code = 'metered'`.execute(
    kysely,
  )
}

/** Inserts an unpaid change whose contract has ended, a payment without an order, and traffic of an amount that no card accepts. */
async function insertUnpaidOrders({ kysely }: Pick<Database, 'kysely'>): Promise<void> {
  const agreedValues = sql`'HKD', 'CONCURRENT', 1, '[]', 0, 'saas', p.id, 1, 1, 0, 1, 1, 1, '2025-12-01', '2026-12-01'`
  const columns = sql`currency, user_mode, users, modules, uat, client_type, price_id, annual, contract_amount, residual_amount,
    amount, pay_amount, period, period_start, period_end`
  await sql`insert into contract (company_id, code, service_code, order_id, type, ${columns}, segments, create_time)
    select s.company_id, 'C1', s.code, 1, 'create', ${agreedValues}, '[]', 1
    from service s, price_list p where s.code = 'metered'`.execute(kysely)
  for (const [type, storedState, isVisible] of [
    ['create', 'paid', true],
    ['change', 'unpaid', false],
  ] as const)
    await sql`insert into service_order (company_id, code, name, name_key, type, stored, ${columns}, uat_bound, steps, base_id,
        due, shown, change, create_time, update_time)
      select s.company_id, s.code, '', '', ${type}, ${storedState}, ${agreedValues}, 'floor', '[]',
        ${type === 'change' ? sql`(select id from contract)` : sql`null`}, '2026-12-05 23:59:59', ${isVisible}, 0, 1, 1
      from service s, price_list p where s.code = 'metered'`.execute(kysely)
  await sql`insert into payment (company_id, order_id, gateway, reference, amount, currency, paid_at, outcome, create_time)
    select company_id, id, 'stripe', one.outcome, 1, 'HKD', 1, one.outcome, 7
    from service_order, (values ('applied'), ('paid already')) one (outcome) where type = 'create'`.execute(kysely)
  await sql`update traffic set amount = 3.99, told_overdue = true where period_end = '2026-12-01'`.execute(kysely)
  await sql`update service set traffic_disabled = true where code = 'metered'`.execute(kysely)
}

async function readMigratedPayments({ kysely }: Pick<Database, 'kysely'>): Promise<unknown> {
  const { rows } = await sql`
    select (select due from service_order where type = 'change') as due,
      (select count(distinct change)::integer from service_order where change > 0) as numbered,
      (select jsonb_agg(jsonb_build_array(p.outcome, t.state, t.create_time)) from payment_task t
        join payment p on p.id = t.payment_id) as tasks,
      (select jsonb_agg(jsonb_build_array(amount::text, carried_out::text) order by id) from traffic) as traffic,
      (select traffic_disabled from service where code = 'metered') as disabled`.execute(kysely)
  return rows[0]
}

/** Inserts price lists that an older version withdrew and deleted, and reported as deleted to devices. */
async function insertWithdrawnLists({ kysely }: Pick<Database, 'kysely'>): Promise<void> {
  await sql`update catalogue set change = 7`.execute(kysely)
  await sql`insert into price_list (type, effective_date, description, description_key, confirmed, deleted, content,
    update_user_name, change, create_time, update_time) values
    ('saas', '2024-01-01', 'withdrawn', '', true, true, '{}', '', 5, 1, 1),
    ('saas', '2024-02-01', 'deleted', '', false, true, '{}', '', 6, 1, 1)`.execute(kysely)
}

/**
 * Inserts rows of version 48 whose values version 49 renames: a payment that is being started, and a backup job that has stored its
 * archive.
 */
async function insertFormerNames({ kysely }: Pick<Database, 'kysely'>): Promise<void> {
  await sql`insert into payment_attempt (company_id, order_id, key, gateway, amount, currency, language, device, state, begun_at)
    select company_id, id, 'k', 'stripe', 1, 'HKD', 'en', 'desktop', 'begun', 11 from service_order where type = 'create'`.execute(
    kysely,
  )
  const point = JSON.stringify({ tries: 1, made: { place: 'a/b', bytes: 9 } })
  await sql`insert into job (id, company_id, user_id, intent, kind, state, percent, progress_key, input, point, tries, fence,
      lease_until, deadline, create_time)
    values ('j', 1, 0, 'i', 'backup', 'running', 95, 'p', '{}', ${point}::jsonb, 0, 1, 0, 0, 1),
      ('n', 1, 0, 'n', 'backup', 'running', 1, 'q', '{}', '{"tries": 2, "made": null}', 0, 1, 0, 0, 1)`.execute(kysely)
  await sql`update service set told_failing = 5, told_stop = '2026-11-01', told_erase = '2026-12-01' where code = 'metered'`.execute(
    kysely,
  )
  await sql`update service_order set told_expired = true, stored = 'invalid', invalid_why = 'overdue' where type = 'change'`.execute(
    kysely,
  )
  await sql`update session set ended = 3, ended_why = 'logout'`.execute(kysely)
  await sql`insert into audit_checkpoint (company_id, size, note, end_time, kept) values (1, 5, 'n', 1, true)`.execute(
    kysely,
  )
}

async function readRenamedColumns({ kysely }: Pick<Database, 'kysely'>): Promise<unknown> {
  const { rows } = await sql`
    select (select jsonb_build_array(state, started_at) from payment_attempt) as attempt,
      (select jsonb_agg(point order by id) from job) as points,
      (select jsonb_build_array(notified_failing, notified_stop, notified_erase) from service where code = 'metered') as service,
      (select jsonb_agg(jsonb_build_array(notified_expired, invalid_reason, is_listed) order by id) from service_order) as orders,
      (select jsonb_build_array(ended, ended_reason) from session) as session,
      (select is_permanent from audit_checkpoint) as is_permanent,
      (select jsonb_agg(notified_overdue order by id) from traffic) as traffic`.execute(kysely)
  return rows[0]
}

async function readMigratedEntries({ kysely }: Pick<Database, 'kysely'>) {
  const { rows } = await sql<{ id: number; operation: string; info: unknown; leaf: string; pending: boolean }>`
    select id, operation, info, leaf, exists (select from audit_pending where entry_id = id) as pending
    from audit_entry order by id`.execute(kysely)
  return rows.map(({ leaf, pending, ...row }) => {
    const leafEntry = readLeaf(leaf)
    const isMatching = pending && isCanonical(leaf) && leafEntry.id === row.id && leafEntry.operation === row.operation
    return { ...row, info: leafEntry.info, isMatching }
  })
}

describe('the database schema', () => {
  const shapes = new Map<Engine, string[]>()

  eachEngine('on one engine', (engine) => {
    it('is equal for a new database and a database that was migrated through every version', async () => {
      const newDatabase = await openTestDatabase(engine)
      shapes.set(engine, await readShape(newDatabase))
      await newDatabase.close()

      const upgradedDatabase = await openBare(engine)
      const steps = listMigrationNames()
      for (const step of steps) {
        if (step === '023-seal-keys') await insertUserWithSealKey(upgradedDatabase)
        if (step === '025-audit-log') await insertAuditEntries(upgradedDatabase)
        if (step === '027-backup-runs') await insertTraffic(upgradedDatabase)
        if (step === '029-payment-tasks') await insertUnpaidOrders(upgradedDatabase)
        if (step === '031-withdrawn-price-lists') await insertWithdrawnLists(upgradedDatabase)
        if (step === '049-column-names') await insertFormerNames(upgradedDatabase)
        expect(await migrate(upgradedDatabase.kysely, step)).toEqual([step])
      }
      expect(await migrate(upgradedDatabase.kysely)).toEqual([])
      expect(await readShape(upgradedDatabase)).toEqual(shapes.get(engine))
      expect(shapes.get(engine)?.length).toBeGreaterThan(100)
      // A logged-in user keeps the first key of the account.
      expect((await sql`select seal_key from portal_user`.execute(upgradedDatabase.kysely)).rows).toEqual([
        { seal_key: 'her first' },
      ])
      expect((await sql`select id from seal_key`.execute(upgradedDatabase.kysely)).rows).toEqual([])
      // Fault 11f: withdrawn lists are sent to devices again.
      const lists = sql`select description, change from price_list where deleted order by id`
      expect((await lists.execute(upgradedDatabase.kysely)).rows).toEqual([
        { description: 'withdrawn', change: 8 },
        { description: 'deleted', change: 6 },
      ])
      // Billed months are closed, so they are not billed again.
      expect(
        (await sql`select code, closed_month from service order by code`.execute(upgradedDatabase.kysely)).rows,
      ).toEqual([
        { code: 'metered', closed_month: '2026-12' },
        { code: 'other', closed_month: null },
      ])
      // Faults 5p, 6c, 7r: an unpaid change is due by the end of its contract, money without an order becomes a payment task, and no
      // company is suspended for an amount that no card accepts.
      expect(await readMigratedPayments(upgradedDatabase)).toEqual({
        due: '2026-11-30 23:59:59',
        numbered: 1,
        tasks: [['paid already', 'open', 7]],
        traffic: [
          ['0.00', '3.99'],
          ['0.00', '0.00'],
        ],
        disabled: false,
      })
      // Entries of the old chain become leaves in the same order, and the columns become copies of the leaves. A new entry lists the ids of
      // the entries that had been changed.
      expect(await readMigratedEntries(upgradedDatabase)).toEqual([
        { id: 1, operation: 'create', info: { UserName: '陈"美玲', half: '0.5', list: [1, null] }, isMatching: true },
        { id: 2, operation: 'update', info: { at: 99 }, isMatching: true },
        { id: 3, operation: 'delete', info: {}, isMatching: true },
        { id: 4, operation: 'update', info: { BrokenCount: 1, BrokenEntries: [2] }, isMatching: true },
      ])
      expect(await readRenamedColumns(upgradedDatabase)).toEqual({
        attempt: ['starting', 11],
        points: [
          { tries: 1, result: { location: 'a/b', bytes: 9 } },
          { tries: 2, result: null },
        ],
        service: [5, '2026-11-01', '2026-12-01'],
        orders: [
          [false, null, true],
          [true, 'overdue', false],
        ],
        session: [3, 'logout'],
        is_permanent: true,
        traffic: [true, false],
      })
      await upgradedDatabase.close()
    })

    it('is rejected with one sentence if it is from a newer version', async () => {
      const database = await openTestDatabase(engine)
      await sql`insert into kysely_migration (name, timestamp) values ('999-of-tomorrow', '')`.execute(database.kysely)
      await expect(migrate(database.kysely)).rejects.toThrow(
        /newer version of the portal has migrated the database \(to 999-of-tomorrow\)/,
      )
      // Other test files use this database next.
      await sql`delete from kysely_migration where name = '999-of-tomorrow'`.execute(database.kysely)
      await database.close()
    })
  })

  it.skipIf(!inject('postgresUrl'))('is the same on both engines', () => {
    expect(shapes.get('embedded')).toEqual(shapes.get('postgres'))
  })
})
