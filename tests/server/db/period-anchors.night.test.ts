/** Tests that the migration adds anchors to the periods that an earlier version sold, without changing an agreed end date (decision 60). */
import { type QueryResult, sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import type { Database } from '#server/db/database.ts'
import { migrate } from '#server/db/migrate.ts'
import { openBare } from '#tests/support/server/bare-database.ts'
import { eachEngine } from '#tests/support/server/database.ts'

// Creating a database takes seconds on an idle machine.
vi.setConfig({ testTimeout: 90_000 })

type Kysely = Database['kysely']

async function insertCompany(kysely: Kysely): Promise<void> {
  await sql`insert into company (code, name, create_time, update_time) values ('acme', 'Acme', 1, 1)`.execute(kysely)
  await sql`update change set value = 40`.execute(kysely)
  await sql`insert into service (company_id, code, name, create_time, update_time)
    select id, one.code, '', 1, 1 from company, (values ('leap'), ('plain')) one (code) where company.code = 'acme'`.execute(
    kysely,
  )
  await sql`insert into price_list (type, effective_date, description, description_key, confirmed, content, update_user_name,
    change, create_time, update_time) values ('saas', '2026-01-01', '', '', true, '{}', '', 1, 1, 1)`.execute(kysely)
}

interface SoldOrder {
  type: 'create' | 'extend' | 'change'
  years: number
  /** The start of the order's period. */
  start: string
  end: string
  /** The start of the resulting contract. */
  from: string
}

/** Inserts paid orders of one service, each based on the contract of the previous one. */
async function insertOrders(kysely: Kysely, code: string, orders: readonly SoldOrder[]): Promise<void> {
  const agreedColumns = sql`currency, user_mode, users, modules, uat, client_type, price_id, annual, contract_amount,
    residual_amount, amount, pay_amount, period, period_start, period_end`
  let baseContractId: number | null = null
  for (const [index, { type, years, start, end, from }] of orders.entries()) {
    const buildValues = (
      startDate: string,
    ) => sql`'HKD', 'NAMED', 1, '[]', 0, 'saas', (select min(id) from price_list), 1, 1, 0, 1, 1,
      ${years}::int, ${startDate}, ${end}`
    const isLast = index === orders.length - 1
    const createdOrders: QueryResult<{ id: number }> = await sql<{ id: number }>`
      insert into service_order (company_id, code, name, name_key, type, stored, ${agreedColumns}, uat_bound, steps, due, change,
        create_time, update_time, base_id)
      select id, ${code}, '', '', ${type}, ${isLast ? 'paid' : 'overwritten'}, ${buildValues(start)}, 'floor', '[]', '', 1, 1, 1,
        ${baseContractId}::int from company where code = 'acme' returning id`.execute(kysely)
    const order = createdOrders.rows[0]?.id ?? 0
    const contract: QueryResult<{ id: number }> = await sql<{ id: number }>`
      insert into contract (company_id, code, service_code, order_id, type, ${agreedColumns}, segments, create_time, overwritten)
      select id, ${`${code}${index}`}, ${code}, ${order}::int, ${type}, ${buildValues(from)}, '[]', 1, ${!isLast}
      from company where code = 'acme' returning id`.execute(kysely)
    baseContractId = contract.rows[0]?.id ?? 0
  }
}

type BackupSubscription = [start: string, end: string, period: number, unit: 'month' | 'year', status: -1 | 0 | 1]

async function insertSubscriptions(
  kysely: Kysely,
  code: string,
  type: string,
  orders: readonly BackupSubscription[],
): Promise<void> {
  for (const [start, end, period, unit, status] of orders)
    await sql`insert into backup_order (company_id, service_id, service_code, price_id, currency, pdb_type, period, period_type,
        period_start, period_end, annual, discount, amount, pay_amount, status, steps, change, create_time, update_time)
      select company_id, id, code, (select min(id) from price_list), 'HKD', ${type}, ${period}::int, ${unit}, ${start}, ${end},
        1, 0, 1, 1, ${status}::int, '[]', 7, 1, 1
      from service where code = ${code}`.execute(kysely)
}

eachEngine('periods sold by an earlier version', (engine) => {
  it('are counted from the start of their order chain, and restart after a cut or a gap (fault 8)', async () => {
    const database = await openBare(engine)
    const { kysely } = database
    await migrate(kysely, '027-backup-runs')
    await insertCompany(kysely)
    await insertOrders(kysely, 'leap', [
      { type: 'create', years: 1, start: '2028-02-29', end: '2029-02-28', from: '2028-02-29' },
      // Under the old rule this period ended a day early.
      { type: 'extend', years: 3, start: '2029-02-28', end: '2032-02-28', from: '2028-02-29' },
      { type: 'change', years: 3, start: '2030-01-01', end: '2032-02-28', from: '2028-02-29' },
    ])
    await insertOrders(kysely, 'plain', [
      { type: 'create', years: 1, start: '2026-03-31', end: '2027-03-31', from: '2026-03-31' },
      // The first extension starts on the end date, without a gap. The second extension starts after a gap.
      { type: 'extend', years: 1, start: '2027-03-31', end: '2028-03-31', from: '2027-03-31' },
      { type: 'extend', years: 2, start: '2028-04-02', end: '2030-04-02', from: '2028-04-02' },
    ])
    await insertSubscriptions(kysely, 'leap', 'pdb2s3', [
      ['2029-01-31', '2029-02-28', 1, 'month', 1],
      ['2029-02-28', '2029-03-28', 1, 'month', 1],
      // This order was never paid, and was replaced by the next order.
      ['2029-03-28', '2030-03-28', 1, 'year', -1],
      ['2029-03-28', '2029-05-28', 2, 'month', 1],
      // This period was cut at the end of the contract at that time.
      ['2029-05-28', '2029-06-15', 1, 'year', 1],
      ['2029-06-15', '2029-07-15', 1, 'month', 1],
      ['2029-07-15', '2030-07-15', 1, 'year', 0],
    ])
    await insertSubscriptions(kysely, 'leap', 'pdb2rds', [
      ['2029-01-31', '2029-02-28', 1, 'month', 1],
      ['2029-03-05', '2029-04-05', 1, 'month', 1],
    ])
    expect(await migrate(kysely)).toContain('028-period-anchors')

    const contracts = await kysely
      .selectFrom('contract')
      .select(['code', 'anchor_date', 'anchor_months', 'period_end'])
      .orderBy('id')
      .execute()
    expect(contracts.map(({ code, ...row }) => [code, ...Object.values(row)])).toEqual([
      ['leap0', '2028-02-29', 12, '2029-02-28'],
      ['leap1', '2028-02-29', 48, '2032-02-28'],
      ['leap2', '2028-02-29', 48, '2032-02-28'],
      ['plain0', '2026-03-31', 12, '2027-03-31'],
      ['plain1', '2026-03-31', 24, '2028-03-31'],
      ['plain2', '2028-04-02', 24, '2030-04-02'],
    ])
    const backups = await kysely
      .selectFrom('backup_order')
      .select(['pdb_type', 'anchor_date', 'anchor_months', 'change'])
      .orderBy('id')
      .execute()
    // A new change number makes devices fetch the rows again.
    expect(new Set(backups.map(({ change }) => Number(change)))).toEqual(new Set([41]))
    expect(backups.map(({ anchor_date, anchor_months }) => [anchor_date, anchor_months])).toEqual([
      ['2029-01-31', 1],
      ['2029-01-31', 2],
      ['2029-01-31', 14],
      ['2029-01-31', 4],
      [null, null],
      ['2029-06-15', 1],
      ['2029-06-15', 13],
      ['2029-01-31', 1],
      ['2029-03-05', 1],
    ])
    await database.close()
  })
})
