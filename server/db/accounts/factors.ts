/**
 * Rows of second factors and recovery codes. A code is found and marked as used in one statement, so only one of two concurrent calls
 * succeeds.
 */
import type { Insertable, Selectable } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import { getSqlState } from '#server/db/sql-state.ts'
import type { FactorTable } from '#server/db/tables/tables.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

export type FactorRecord = Selectable<FactorTable>

export const listFactors = (db: DatabaseHandle, userId: number) =>
  db.selectFrom('factor').selectAll().where('user_id', '=', userId).orderBy('id').execute()

/** Throws STATE_CONFLICT if the passkey is already registered. */
export async function insertFactor(db: DatabaseHandle, factor: Insertable<FactorTable>): Promise<void> {
  await db
    .insertInto('factor')
    .values(factor)
    .execute()
    .catch((error: unknown) => {
      throw getSqlState(error) === '23505' ? new ProblemError('STATE_CONFLICT') : error
    })
}

export const renameFactor = (db: DatabaseHandle, userId: number, id: number, name: string) =>
  findRow(db.updateTable('factor').set({ name }).where('id', '=', id).where('user_id', '=', userId).returningAll())

/** Also deletes the user's recovery codes. Returns the number of deleted factors. */
export async function deleteFactors(db: DatabaseHandle, owner: { userId: number; companyId: number }): Promise<number> {
  const deletedRows = await db.deleteFrom('factor').where('user_id', '=', owner.userId).returning('id').execute()
  await replaceRecoveryCodes(db, owner, [])
  return deletedRows.length
}

export const deleteFactor = (db: DatabaseHandle, userId: number, id: number) =>
  findRow(db.deleteFrom('factor').where('id', '=', id).where('user_id', '=', userId).returningAll())

/** Marks the code of this 30-second step as used. Returns false if this or a later step was used before. */
export const claimStep = (db: DatabaseHandle, id: number, step: number, now: number) =>
  hasRow(
    db
      .updateTable('factor')
      .set({ last_step: step, last_time: now })
      .where('id', '=', id)
      .where((where) => where.or([where('last_step', 'is', null), where('last_step', '<', step)]))
      .returning('id'),
  )

/**
 * Stores the counter of a passkey. Returns false if the stored counter is not lower, which happens with a cloned key. A passkey that does
 * not count always sends 0.
 */
export const claimCounter = (db: DatabaseHandle, id: number, counter: number, now: number) =>
  hasRow(
    db
      .updateTable('factor')
      .set({ counter, last_time: now })
      .where('id', '=', id)
      .where((where) => (counter === 0 ? where('counter', '=', 0) : where('counter', '<', counter)))
      .returning('id'),
  )

export async function countRecoveryCodes(db: DatabaseHandle, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_code')
    .select((select) => select.fn.countAll<string>().as('count'))
    .where(hasValues({ user_id: userId, used: null }))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function replaceRecoveryCodes(
  db: DatabaseHandle,
  { userId, companyId }: { userId: number; companyId: number },
  hashes: readonly string[],
): Promise<void> {
  await db.deleteFrom('recovery_code').where('user_id', '=', userId).execute()
  if (hashes.length === 0) return
  const rows = hashes.map((hash) => ({ hash, user_id: userId, company_id: companyId, used: null }))
  await db.insertInto('recovery_code').values(rows).execute()
}

/** Marks a recovery code as used. Returns false if there is no such unused code. */
export const spendRecoveryCode = (db: DatabaseHandle, userId: number, hash: string, now: number) =>
  hasRow(
    db
      .updateTable('recovery_code')
      .set({ used: now })
      .where(hasValues({ hash, user_id: userId, used: null }))
      .returning('hash'),
  )
