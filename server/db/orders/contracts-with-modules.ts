import { sql } from 'kysely'
import type { ClientType } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

const maxContracts = 50

export interface ModuleContractFilter {
  type: ClientType
  codes: readonly string[]
  /** True to find contracts with any of the modules, false to find contracts with all of them. */
  matchesAny: boolean
  /** A contract is over if its exclusive end is this day or earlier (D18). */
  endsAfter: PlainDate
}

/** Returns the count, and the first contracts sorted by company and service. Needs the system role. */
export async function findContractsWithModules(
  db: DatabaseHandle,
  { type, codes, matchesAny, endsAfter }: ModuleContractFilter,
) {
  const moduleCondition = matchesAny
    ? sql<boolean>`contract.modules ?| ${sql.val(codes)}::text[]`
    : sql<boolean>`contract.modules @> ${JSON.stringify(codes)}::jsonb`
  const matchingContracts = db
    .selectFrom('contract')
    .innerJoin('company', 'company.id', 'contract.company_id')
    .where('contract.overwritten', '=', false)
    .where('contract.client_type', '=', type)
    .where('contract.period_end', '>', endsAfter)
    .where(moduleCondition)
  const { count } = await matchingContracts
    .select((row) => row.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  const data = await matchingContracts
    .select(['company.code as company_code', 'company.name as company_name', 'contract.service_code', 'contract.code'])
    .orderBy('company.code')
    .orderBy('contract.service_code')
    .limit(maxContracts)
    .execute()
  return { count: Number(count), data }
}
