/** Contracts as rows: made when an order takes effect, overwritten when the next one does, never changed otherwise. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import type { ContractTable } from '#server/db/tables/order-tables.ts'

export type ContractRecord = Selectable<ContractTable>

const ofCompany = (db: Handle, companyId: number) =>
  db.selectFrom('contract').selectAll().where('company_id', '=', companyId)

export async function contractById(db: Handle, companyId: number, id: number): Promise<ContractRecord | null> {
  return (await ofCompany(db, companyId).where('id', '=', id).executeTakeFirst()) ?? null
}

/** Locks the row until the commit: two orders cannot both build on it. */
export async function contractForUpdate(db: Handle, companyId: number, id: number): Promise<ContractRecord | null> {
  return (await ofCompany(db, companyId).where('id', '=', id).forUpdate().executeTakeFirst()) ?? null
}

/** With those it replaced, newest first. */
export const contractsUpTo = (
  db: Handle,
  companyId: number,
  { id, service_code }: Pick<ContractRecord, 'id' | 'service_code'>,
): Promise<ContractRecord[]> =>
  ofCompany(db, companyId)
    .where('service_code', '=', service_code)
    .where('id', '<=', id)
    .orderBy('id', 'desc')
    .execute()

export async function insertContract(db: Handle, contract: Insertable<ContractTable>): Promise<number> {
  const { id } = await db.insertInto('contract').values(contract).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function overwriteContract(db: Handle, id: number): Promise<void> {
  await db.updateTable('contract').set({ overwritten: true }).where('id', '=', id).execute()
}

/** The next of its kind; it is lost only with the whole transaction, so there are no gaps (D90). */
export async function nextNumber(db: Handle, series: 'contract' | 'invoice', year: string): Promise<number> {
  const { rows } = await sql<{ value: number }>`select next_number(${series}, ${year}) as value`.execute(db)
  const [row] = rows
  if (!row) throw new Error('a series has no number')
  return row.value
}
