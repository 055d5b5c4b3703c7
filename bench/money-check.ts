/**
 * Prints how long each rule of the check of all money takes with 20,000 invoices on the embedded engine (decision 123).
 * node bench/money-check.ts
 */
import { sql } from 'kysely'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { moneyRules } from '#domain/money-faults.ts'
import type { Database } from '#server/db/database.ts'
import { findFaultsOfRule } from '#server/db/payments/money-checks.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import { loadWorld, withContext } from '#tests/support/server/companies.ts'

const invoiceCount = 20_000
/**
 * Every tenth invoice is refunded in part, a quarter of these to the credit balance, and every hundredth is disputed. Credit of transfers and of
 * smaller contracts pays a part of every twentieth.
 */
const statements = [
  sql`create temporary table original as select company_id, content from invoice order by id limit 1`,
  sql`create temporary table made as select n, 1000000 + n as id, 'I203001' || lpad(n::text, 6, '0') as code, 'ch_' || n as reference
    from generate_series(1, ${sql.lit(invoiceCount)}) n`,
  sql`create function pg_temp.refund_route(n integer) returns text language sql as
    $$ select case when n % 40 = 0 then 'credit' else 'transfer' end $$`,
  sql`create function pg_temp.transfer_state(n integer) returns text language sql as
    $$ select case when n % 100 = 5 then 'corrected' when n % 100 = 15 then 'open' else 'credited' end $$`,
  sql`insert into payment (id, company_id, order_id, gateway, reference, amount, currency, paid_at, outcome, create_time)
    overriding system value
    select id, company_id, id, 'stripe', reference, case when n % 20 = 0 then 41000 else 42000 end, 'HKD', 1, 'applied', 1
    from made, original`,
  sql`insert into invoice (id, company_id, code, order_id, content, create_time) overriding system value
    select id, company_id, code, id, content || jsonb_build_object('pay_amount', '42000.00', 'currency', 'HKD', 'invoice_no', code,
      'payment', jsonb_build_object('gateway', 'stripe', 'reference', reference)), 1 from made, original`,
  sql`insert into document (company_id, kind, code, invoice_id, issued, type, service_code, service_name, service_name_key, currency,
      amount, method, reference, reference_key, refunded, disputed, change, create_time)
    select company_id, 'invoice', code, id, '2030-01-01', 'create', code, code, code, 'HKD', 42000, 'stripe', reference, reference,
      case when n % 10 = 0 then 100 else 0 end, n % 100 = 0, 1, 1 from made, original`,
  sql`insert into refund (id, company_id, payment_id, invoice_id, amount, currency, route, reason, state, reference, transfer_date, cause,
      create_time, update_time, end_time) overriding system value
    select id, company_id, id, id, 100, 'HKD', pg_temp.refund_route(n), 'Goodwill', 'done', reference,
      case when pg_temp.refund_route(n) = 'transfer' then '2030-01-01' end, 'staff', 1, 1, 1
    from made, original where n % 10 = 0`,
  sql`insert into credit_note (company_id, invoice_id, refund_id, code, content, create_time)
    select company_id, id, id, 'CN203001' || lpad((n / 10)::text, 6, '0'), jsonb_build_object('currency', 'HKD', 'amount', '100.00',
      'refund', jsonb_build_object('method', pg_temp.refund_route(n), 'reference', reference)), 1
    from made, original where n % 10 = 0`,
  sql`insert into document (company_id, kind, code, invoice_id, issued, type, service_code, service_name, service_name_key, currency,
      amount, method, reference, reference_key, change, create_time)
    select c.company_id, 'creditNote', c.code, c.invoice_id, '2030-01-01', 'create', c.code, c.code, c.code, 'HKD', 100,
      c.content -> 'refund' ->> 'method', c.content -> 'refund' ->> 'reference', c.code, 1, 1 from credit_note c where c.code like 'CN2030%'`,
  sql`insert into dispute (company_id, payment_id, gateway, reference, amount, currency, reason, is_inquiry, state, next_look,
      create_time, update_time)
    select company_id, id, 'stripe', 'du_' || n, 42000, 'HKD', 'fraudulent', false, 'open', 1, 1, 1
    from made, original where n % 100 = 0`,
  // Transfers, most of them credited, some credited and taken back.
  sql`insert into bank_transfer (id, identity, source, account, day, currency, amount, sender, reference, bank_reference, state,
      company_id, note, create_time, update_time) overriding system value
    select id, code, 'statement', '012', '2030-01-01', 'HKD', 2000, 'Sender', code, reference, pg_temp.transfer_state(n),
      case when pg_temp.transfer_state(n) <> 'open' then company_id end, case when pg_temp.transfer_state(n) = 'corrected' then 'Wrong' end, 1, 1
    from made, original where n % 10 = 5`,
  // Smaller contracts whose difference became credit.
  sql`insert into service_order overriding system value
    select (jsonb_populate_record(o, jsonb_build_object('id', made.id, 'company_id', original.company_id, 'code', 'bench' || n,
      'type', 'change', 'stored', 'paid', 'shown', false))).*
    from made, original, service_order o where n % 1000 = 1 and o.id = (select min(id) from service_order)`,
  sql`insert into contract overriding system value
    select (jsonb_populate_record(c, jsonb_build_object('id', made.id, 'company_id', original.company_id, 'code', 'CB' || n, 'order_id', made.id,
      'service_code', 'bench' || n, 'type', 'change', 'currency', 'HKD', 'residual_amount', 700, 'contract_amount', 200))).*
    from made, original, contract c where n % 1000 = 1 and c.id = (select min(id) from contract)`,
  sql`insert into credit_entry (company_id, currency, cause, amount, balance, transfer_id, contract_id, refund_id, payment_id, create_time)
    select company_id, 'HKD', cause, amount, sum(amount) over (order by rank, n), case when source = 'transfer' then id end,
      case when source = 'contract' then id end, case when source = 'refund' then id end,
      case when source = 'payment' then id end, 1
    from original, (
      select 1 as rank, 'transfer' as source, 'transfer' as cause, n, id, 2000 as amount from made
        where n % 10 = 5 and pg_temp.transfer_state(n) <> 'open'
      union all select 2, 'transfer', 'correction', n, id, -2000 from made where n % 10 = 5 and pg_temp.transfer_state(n) = 'corrected'
      union all select 3, 'contract', 'contract', n, id, 500 from made where n % 1000 = 1
      union all select 4, 'refund', 'creditNote', n, id, 100 from made where n % 10 = 0 and pg_temp.refund_route(n) = 'credit'
      union all select 5, 'payment', 'payment', n, id, -1000 from made where n % 20 = 0) one
    order by rank, n`,
  sql`insert into credit_balance (company_id, currency, balance)
    select company_id, 'HKD', sum(amount) from credit_entry where create_time = 1 group by company_id`,
  // Open payments that hold credit, and pro-forma invoices of the same orders.
  sql`insert into payment_attempt (company_id, order_id, key, gateway, amount, credit, currency, language, device, state, next_look,
      started_at)
    select company_id, id, 'bench' || n, 'stripe', 10, 5, 'HKD', 'en', 'desktop', 'open', 1, 1 from made, original where n % 1000 = 2`,
  sql`insert into proforma (company_id, order_id, code, currency, amount, credit, content, create_time)
    select company_id, id, 'PF203001' || lpad(n::text, 6, '0'), 'HKD', 10, 5, '{}', 1 from made, original where n % 1000 = 2`,
  sql`insert into series (name, span, value) values ('invoice', '2030', ${sql.lit(invoiceCount)}),
    ('creditNote', '2030', ${sql.lit(invoiceCount / 10)})`,
]

async function loadInvoices({ kysely }: Database): Promise<void> {
  await kysely.connection().execute(async (db) => {
    // No triggers and no foreign keys: invoices of orders that do not exist.
    await sql`set session_replication_role = replica`.execute(db)
    for (const statement of statements) await statement.execute(db)
    await sql`set session_replication_role = default`.execute(db)
    // Without `analyze`: the embedded engine has no statistics of the columns.
    await sql`vacuum`.execute(db)
  })
}

const dataDir = await mkdtemp(join(tmpdir(), 'portal-money-'))
try {
  await loadWorld(dataDir)
  await withContext({ DATA_DIR: dataDir }, async (app) => {
    await loadInvoices(app.database)
    let sum = 0
    for (const rule of moneyRules) {
      const [start, cpuStart] = [performance.now(), process.cpuUsage()]
      const faults = await readAsSystem(app, (db) => findFaultsOfRule(db, rule))
      const ms = performance.now() - start
      const { user, system } = process.cpuUsage(cpuStart)
      const cpuMs = (user + system) / 1000
      sum += cpuMs
      console.log(
        `${rule}: ${Math.round(cpuMs)} ms of processor time, ${Math.round(ms)} ms in all, ${faults.length} faults`,
      )
    }
    console.log(`${invoiceCount} invoices: ${Math.round(sum)} ms of processor time in sum`)
  })
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
