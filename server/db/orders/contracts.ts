/**
 * Rows of contracts. A contract is created when an order takes effect, and marked as overwritten when its successor is created. Its other
 * columns never change.
 */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { ContractTable } from '#server/db/tables/order-tables.ts'

export type ContractRecord = Selectable<ContractTable>

const selectCompanyContracts = (db: DatabaseHandle, companyId: number) =>
  db.selectFrom('contract').selectAll().where('company_id', '=', companyId)

export const findContractById = (db: DatabaseHandle, companyId: number, id: number) =>
  findRow(selectCompanyContracts(db, companyId).where('id', '=', id))

/**
 * Locks the row until the commit, so that two orders cannot both be based on it. A refund, whose credit note refers to the contract, does not wait
 * for it.
 */
export const lockContract = (db: DatabaseHandle, companyId: number, id: number) =>
  findRow(selectCompanyContracts(db, companyId).where('id', '=', id).forNoKeyUpdate())

/** Returns the contract and all earlier contracts of the service, newest first. */
export const listContractHistory = (
  db: DatabaseHandle,
  companyId: number,
  { id, service_code }: Pick<ContractRecord, 'id' | 'service_code'>,
) =>
  selectCompanyContracts(db, companyId)
    .where('service_code', '=', service_code)
    .where('id', '<=', id)
    .orderBy('id', 'desc')
    .execute()

export async function insertContract(db: DatabaseHandle, contract: Insertable<ContractTable>): Promise<number> {
  const { id } = await db.insertInto('contract').values(contract).returning('id').executeTakeFirstOrThrow()
  return id
}

export async function overwriteContract(db: DatabaseHandle, id: number): Promise<void> {
  await db.updateTable('contract').set({ overwritten: true }).where('id', '=', id).execute()
}

/** Takes the next number of a series. A rollback of the transaction frees the number again, so there are no gaps (D90). */
export async function takeNextNumber(
  db: DatabaseHandle,
  series: 'contract' | 'invoice' | 'creditNote' | 'proforma',
  year: string,
): Promise<number> {
  const { rows } = await sql<{ value: number }>`select next_number(${series}, ${year}) as value`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the number series returned no number')
  return row.value
}
