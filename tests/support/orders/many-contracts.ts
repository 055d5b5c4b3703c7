/** Writes thousands of contracts with different prices directly into the database. */
import { sql } from 'kysely'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { TestServer } from '#tests/support/server/server.ts'

/** Adds contracts that run for a year from 2026-01-01. The nth contract has n modulo 30 plus one users and a price of 20,000.00 plus n. */
export const addContracts = (server: TestServer, companyId: number, priceId: number, count: number) =>
  bypassPolicies(server.app.database, async (db) => {
    const agreedColumns = sql`currency, user_mode, users, modules, uat, client_type, price_id, annual, contract_amount,
      residual_amount, amount, pay_amount, period, period_start, period_end`
    await sql`
      insert into service_order (company_id, code, name, name_key, type, stored, ${agreedColumns}, uat_bound, steps, due, is_listed,
        change, create_time, update_time)
      select ${companyId}::int, 'many' || n, 'Many ' || n, 'many ' || n, 'create', 'paid',
        (array['HKD', 'USD', 'RMB'])[n % 3 + 1], 'CONCURRENT', n % 30 + 1, '["core", "fin", "scm"]'::jsonb, n % 2, 'saas',
        ${priceId}::int, 20000 + n, 20000 + n, 0, 20000 + n, 20000 + n, 1, '2026-01-01', '2027-01-01', 'floor', '[]',
        '2026-01-08 23:59:59', true, n, n, n
      from generate_series(1, ${count}::int) n`.execute(db)
    await sql`
      insert into contract (company_id, code, service_code, order_id, type, ${agreedColumns}, segments, create_time)
      select company_id, 'M' || id, code, id, 'create', ${agreedColumns},
        jsonb_build_array(jsonb_build_object('start', period_start, 'end', period_end, 'annual', annual::text)), create_time
      from service_order where company_id = ${companyId}::int and code like 'many%'`.execute(db)
    await sql`update service_order set contract_id = contract.id from contract
      where contract.order_id = service_order.id and contract.code like 'M%'`.execute(db)
  })
