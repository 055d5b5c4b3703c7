/** Contracts in effect by the modules that they hold, of all companies. */
import { sql } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import type { Handle } from '#server/db/handle.ts'

const max = 50

export interface Wanted {
  type: ClientType
  codes: readonly string[]
  /** Any of them, or all. */
  any: boolean
  /** A contract that ends on this day or before is over (D18). */
  after: PlainDate
}

/** As the system. How many there are, and the first of them by company and service. */
export async function contractsWithModules(db: Handle, { type, codes, any, after }: Wanted) {
  const held = any
    ? sql<boolean>`contract.modules ?| ${sql.val(codes)}::text[]`
    : sql<boolean>`contract.modules @> ${JSON.stringify(codes)}::jsonb`
  const found = db
    .selectFrom('contract')
    .innerJoin('company', 'company.id', 'contract.company_id')
    .where('contract.overwritten', '=', false)
    .where('contract.client_type', '=', type)
    .where('contract.period_end', '>', after)
    .where(held)
  const { count } = await found.select((row) => row.fn.countAll<string>().as('count')).executeTakeFirstOrThrow()
  const data = await found
    .select(['company.code as company_code', 'company.name as company_name', 'contract.service_code', 'contract.code'])
    .orderBy('company.code')
    .orderBy('contract.service_code')
    .limit(max)
    .execute()
  return { count: Number(count), data }
}
