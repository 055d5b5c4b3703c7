/** Rows of the tokens in the wire field `mfa_token`: 256 bits, stored only as a hash, valid for minutes and for one success. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import { hash } from 'node:crypto'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { MfaTokenTable } from '#server/db/tables/tables.ts'

export type MfaToken = Selectable<MfaTokenTable>

export const hashMfaToken = (token: string) => hash('sha256', token, 'hex')

export async function insertMfaToken(db: DatabaseHandle, mfaToken: Insertable<MfaTokenTable>): Promise<void> {
  await db.insertInto('proof').values(mfaToken).execute()
}

const selectValidMfaToken = (db: DatabaseHandle, token: string, now: number) =>
  db
    .selectFrom('proof')
    .selectAll()
    .where(hasValues({ hash: hashMfaToken(token), done: null }))
    .where('until', '>', now)

export const findMfaToken = (db: DatabaseHandle, token: string, now: number) =>
  findRow(selectValidMfaToken(db, token, now))

export const lockMfaTokenRow = (db: DatabaseHandle, token: string, now: number) =>
  findRow(selectValidMfaToken(db, token, now).forUpdate())

/** Returns whether the user proved a password or a factor in that session after `since` (epoch ms). */
export const hasProofSince = (db: DatabaseHandle, sessionId: string, since: number) =>
  hasRow(db.selectFrom('proof').select('hash').where('session_id', '=', sessionId).where('proven', '>', since))

export async function updateMfaToken(db: DatabaseHandle, mfaToken: MfaToken, fields: Updateable<MfaTokenTable>) {
  await db.updateTable('proof').set(fields).where('hash', '=', mfaToken.hash).execute()
}
