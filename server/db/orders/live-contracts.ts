/** Queries for current and future contracts of all companies: neither overwritten nor over. Needs the system role. */
import type { ClientType } from '#domain/access.ts'
import type { PlainDate } from '#domain/time.ts'
import type { DatabaseHandle } from '#server/db/database.ts'

export interface LiveContractFilter {
  type: ClientType
  /** A contract is over if its exclusive end is this day or earlier (D18). */
  today: PlainDate
}

const selectLiveContracts = (db: DatabaseHandle, { type, today }: LiveContractFilter) =>
  db
    .selectFrom('contract')
    .where('overwritten', '=', false)
    .where('client_type', '=', type)
    .where('period_end', '>', today)

/** Returns the count and the highest id, which is 0 if no contract matches. */
export async function countLiveContracts(
  db: DatabaseHandle,
  filter: LiveContractFilter,
): Promise<{ count: number; last: number }> {
  const { count, last } = await selectLiveContracts(db, filter)
    .select((row) => [row.fn.countAll<string>().as('count'), row.fn.max('id').as('last')])
    .executeTakeFirstOrThrow()
  return { count: Number(count), last: last ?? 0 }
}

const choiceColumns = ['id', 'currency', 'user_mode', 'users', 'modules', 'uat', 'annual', 'segments'] as const

export const listLiveContracts = (
  db: DatabaseHandle,
  filter: LiveContractFilter,
  { afterId, lastId, limit }: ContractRange,
) =>
  selectLiveContracts(db, filter)
    .select(choiceColumns)
    .where('id', '>', afterId)
    .where('id', '<=', lastId)
    .orderBy('id')
    .limit(limit)
    .execute()

export interface ContractRange {
  afterId: number
  lastId: number
  limit: number
}

/** Returns contracts with company names. Includes contracts that were overwritten after they were counted. */
export const listContractsWithNames = (db: DatabaseHandle, ids: readonly number[]) =>
  db
    .selectFrom('contract')
    .innerJoin('company', 'company.id', 'contract.company_id')
    .innerJoin('service_order', 'service_order.id', 'contract.order_id')
    .select(choiceColumns.map((name) => `contract.${name}` as const))
    .select(['contract.code', 'contract.price_id', 'service_order.name', 'company.name as company'])
    .where('contract.id', 'in', ids.length > 0 ? ids : [0])
    .execute()
