/** Queries for service codes, which are unique over all companies (D37). Database functions that bypass row-level security check them. */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { Moment } from '#server/db/orders/moment.ts'

const readBoolean = async (query: Promise<{ rows: { result: boolean }[] }>) => (await query).rows[0]?.result === true

export const isCodeTaken = (db: DatabaseHandle, code: string, { now }: Moment): Promise<boolean> =>
  readBoolean(sql<{ result: boolean }>`select is_code_taken(${code}, ${now}) as result`.execute(db))

/** Marks unpaid orders with this code as invalid if their due time is over. Affects orders of every company (D30). */
export async function settleServiceCode(db: DatabaseHandle, code: string, { now }: Moment): Promise<void> {
  await sql`select settle_code(${code}, ${now})`.execute(db)
}

export interface ServiceCodeClaim {
  code: string
  companyId: number
  name: string
  time: number
}

/**
 * Takes the code for a service of the company. Returns false if the code is taken. Other claims of the same code wait until this
 * transaction ends.
 */
export const claimServiceCode = (
  db: DatabaseHandle,
  { code, companyId, name, time }: ServiceCodeClaim,
  { now }: Moment,
): Promise<boolean> =>
  readBoolean(
    sql<{ result: boolean }>`
      select take_code(${code}, ${companyId}::integer, ${name}, ${now}, ${time}::bigint) as result`.execute(db),
  )

/** Kinds of rows that the provider's staff can open by id for every company. */
export type OwnedKind =
  | 'order'
  | 'contract'
  | 'service'
  | 'backup'
  | 'traffic'
  | 'stored_backup'
  | 'document'
  | 'proforma'

/** Returns the company of the row to the provider's staff, and null to other callers. */
export async function findOwnerCompanyId(db: DatabaseHandle, kind: OwnedKind, id: number): Promise<number | null> {
  const functionName = sql.ref(`company_of_${kind}`)
  const { rows } = await sql<{ company: number | null }>`select ${functionName}(${id}::integer) as company`.execute(db)
  return rows[0]?.company ?? null
}
