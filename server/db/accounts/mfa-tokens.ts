/** What `mfa_token` names: 256 bits, only their hash is kept, good for minutes and for one success. */
import type { Insertable, Selectable, Updateable } from 'kysely'
import { hash } from 'node:crypto'
import type { Handle } from '#server/db/handle.ts'
import type { MfaTokenTable } from '#server/db/tables/tables.ts'

export type MfaToken = Selectable<MfaTokenTable>

export const hashMfaToken = (token: string) => hash('sha256', token, 'hex')

export async function insertMfaToken(db: Handle, proof: Insertable<MfaTokenTable>): Promise<void> {
  await db.insertInto('proof').values(proof).execute()
}

const living = (db: Handle, token: string, now: number) =>
  db
    .selectFrom('proof')
    .selectAll()
    .where('hash', '=', hashMfaToken(token))
    .where('done', 'is', null)
    .where('until', '>', now)

/** Null: there is none, or no longer. */
export const findMfaToken = async (db: Handle, token: string, now: number): Promise<MfaToken | null> =>
  (await living(db, token, now).executeTakeFirst()) ?? null

/** Locks it until the commit. */
export const mfaTokenForUpdate = async (db: Handle, token: string, now: number): Promise<MfaToken | null> =>
  (await living(db, token, now).forUpdate().executeTakeFirst()) ?? null

/** Whether somebody has proved themselves in that session since then. */
export const provenSince = async (db: Handle, sessionId: string, since: number): Promise<boolean> =>
  (await db
    .selectFrom('proof')
    .select('hash')
    .where('session_id', '=', sessionId)
    .where('proven', '>', since)
    .executeTakeFirst()) !== undefined

export async function updateMfaToken(db: Handle, proof: MfaToken, fields: Updateable<MfaTokenTable>): Promise<void> {
  await db.updateTable('proof').set(fields).where('hash', '=', proof.hash).execute()
}
