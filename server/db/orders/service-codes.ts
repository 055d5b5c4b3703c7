/** The codes of services, which are one over all companies (D37): asked and taken past the fence, by functions. */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { Moment } from '#server/db/orders/moment.ts'

const readBoolean = async (query: Promise<{ rows: { result: boolean }[] }>) => (await query).rows[0]?.result === true

export const isCodeTaken = (db: DatabaseHandle, code: string, { now }: Moment): Promise<boolean> =>
  readBoolean(sql<{ result: boolean }>`select is_code_taken(${code}, ${now}) as result`.execute(db))

/** Orders of this code whose time to pay is over turn invalid, whosever they are (D30). */
export async function settleServiceCode(db: DatabaseHandle, code: string, { now }: Moment): Promise<void> {
  await sql`select settle_code(${code}, ${now})`.execute(db)
}

export interface ServiceCodeClaim {
  code: string
  companyId: number
  name: string
  time: number
}

/** False: somebody has it. Others who want it wait until this transaction ends. */
export const claimServiceCode = (
  db: DatabaseHandle,
  { code, companyId, name, time }: ServiceCodeClaim,
  { now }: Moment,
): Promise<boolean> =>
  readBoolean(
    sql<{ result: boolean }>`
      select take_code(${code}, ${companyId}::integer, ${name}, ${now}, ${time}::bigint) as result`.execute(db),
  )

/** Kinds of rows that the provider's staff open by their ids, whosever they are. */
export type OwnedKind = 'order' | 'contract' | 'service' | 'backup' | 'traffic' | 'stored_backup'

/** Whose it is, for the provider's staff; null for everybody else. */
export async function findOwnerCompanyId(db: DatabaseHandle, kind: OwnedKind, id: number): Promise<number | null> {
  const functionName = sql.ref(`company_of_${kind}`)
  const { rows } = await sql<{ company: number | null }>`select ${functionName}(${id}::integer) as company`.execute(db)
  return rows[0]?.company ?? null
}
