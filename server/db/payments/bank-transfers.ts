/** Rows of received bank transfers (decision 124). All calls need the system role. */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { BankTransferTable } from '#server/db/tables/credit-tables.ts'

export interface TransferRecord extends Selectable<BankTransferTable> {
  company_code: string | null
  company_name: string | null
  user_name: string | null
}

const selectTransfers = (db: DatabaseHandle) =>
  db
    .selectFrom('bank_transfer')
    .leftJoin('company', 'company.id', 'bank_transfer.company_id')
    .leftJoin('portal_user', 'portal_user.id', 'bank_transfer.user_id')
    .selectAll('bank_transfer')
    .select(['company.code as company_code', 'company.name as company_name', 'portal_user.name as user_name'])

/** Returns open transfers, oldest first. */
export const listOpenTransfers = (db: DatabaseHandle): Promise<TransferRecord[]> =>
  selectTransfers(db)
    .where('bank_transfer.state', '=', 'open')
    .orderBy('bank_transfer.day')
    .orderBy('bank_transfer.id')
    .execute()

/** Returns transfers that are not open, newest first. */
export const listSettledTransfers = (db: DatabaseHandle, limit: number): Promise<TransferRecord[]> =>
  selectTransfers(db)
    .where('bank_transfer.state', '<>', 'open')
    .orderBy('bank_transfer.day', 'desc')
    .orderBy('bank_transfer.id', 'desc')
    .limit(limit)
    .execute()

export const findTransfer = (db: DatabaseHandle, id: number): Promise<TransferRecord | null> =>
  findRow(selectTransfers(db).where('bank_transfer.id', '=', id))

/** Locks the transfer until the commit. Returns null if it does not exist. */
export async function lockTransfer(db: DatabaseHandle, id: number): Promise<TransferRecord | null> {
  await db.selectFrom('bank_transfer').select('id').where('id', '=', id).forUpdate().execute()
  return await findTransfer(db, id)
}

/** A namespace of advisory locks of its own. */
const lockSpace = 7803

/**
 * Lets only one transaction at a time add transfers, until its commit. The index of identities alone would not find a transfer that the
 * staff record while a statement with it is imported.
 */
export async function lockNewTransfers(db: DatabaseHandle): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockSpace}, 0)`.execute(db)
}

type NewTransfer = Insertable<BankTransferTable>

export async function insertTransfer(db: DatabaseHandle, transfer: NewTransfer): Promise<number> {
  const { id } = await db.insertInto('bank_transfer').values(transfer).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Number of rows in one statement. PostgreSQL allows 65,535 parameters. */
const maxRowsAtOnce = 1000

/** Inserts transfers whose identity is not known. Returns how many that were. */
export async function insertUnknownTransfers(db: DatabaseHandle, transfers: readonly NewTransfer[]): Promise<number> {
  let count = 0
  for (let start = 0; start < transfers.length; start += maxRowsAtOnce) {
    const rows = await db
      .insertInto('bank_transfer')
      .values(transfers.slice(start, start + maxRowsAtOnce))
      .onConflict((conflict) => conflict.column('identity').where('state', '<>', 'corrected').doNothing())
      .returning('id')
      .execute()
    count += rows.length
  }
  return count
}

/** Returns those of the identities that are known. */
export async function findKnownIdentities(db: DatabaseHandle, identities: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('bank_transfer')
    .select('identity')
    .where('state', '<>', 'corrected')
    .where('identity', '=', sql<string>`any(${identities}::text[])`)
    .execute()
  return new Set(rows.map(({ identity }) => identity))
}

/** Whether a transfer of this day and amount has the bank's number, whoever recorded it. */
export async function hasTransfer(
  db: DatabaseHandle,
  { day, currency, amount, bank_reference }: Pick<NewTransfer, 'day' | 'currency' | 'amount' | 'bank_reference'>,
): Promise<boolean> {
  const row = await db
    .selectFrom('bank_transfer')
    .select('id')
    .where('day', '=', day)
    .where('currency', '=', currency)
    .where('amount', '=', amount)
    .where(sql<boolean>`lower(bank_reference) = lower(${bank_reference})`)
    .where('state', '<>', 'corrected')
    .executeTakeFirst()
  return row !== undefined
}

type TransferFields = Pick<
  Updateable<BankTransferTable>,
  'state' | 'company_id' | 'note' | 'return_reference' | 'return_date' | 'user_id' | 'update_time'
>

/** Also raises the row's version. */
export async function updateTransfer(db: DatabaseHandle, id: number, fields: TransferFields): Promise<void> {
  await db
    .updateTable('bank_transfer')
    .set({ ...fields, row_version: sql`row_version + 1` })
    .where('id', '=', id)
    .execute()
}

/** Returns the numbers of the invoices that transfers paid, by the reference of their payment. */
export async function listInvoicesOfTransfers(
  db: DatabaseHandle,
  references: readonly string[],
): Promise<Map<string, string[]>> {
  const rows = await db
    .selectFrom('document')
    .select(['code', 'reference'])
    .where('kind', '=', 'invoice')
    .where('method', '=', 'transfer')
    .where('reference', '=', sql<string>`any(${references}::text[])`)
    .orderBy('id')
    .execute()
  return new Map(
    [...Map.groupBy(rows, ({ reference }) => reference)].map(([reference, invoices]) => [
      reference,
      invoices.map(({ code }) => code),
    ]),
  )
}
