/** Queries for sign-in. Only these read a password hash in order to check it. */
import { userStatus } from '#domain/accounts/users.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow, hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'

const selectCredentials = (db: DatabaseHandle) =>
  db
    .selectFrom('portal_user')
    .innerJoin('company', 'company.id', 'portal_user.company_id')
    .select([
      'portal_user.id as userId',
      'portal_user.name as userName',
      'portal_user.email',
      'portal_user.status',
      'portal_user.language',
      'portal_user.password_hash as passwordHash',
      'portal_user.demo',
      'company.mfa_required as companyRequiresFactor',
      'company.id as companyId',
      'company.code as companyCode',
      'company.name as companyName',
    ])

export type UserCredential = Awaited<ReturnType<ReturnType<typeof selectCredentials>['executeTakeFirstOrThrow']>>

/**
 * Finds the user with this e-mail, which must be normalised. Ignores deleted users, because another user may have the e-mail by now (D73).
 */
export const findCredential = (db: DatabaseHandle, companyCode: string, emailKey: string) =>
  findRow(
    selectCredentials(db)
      .where(hasValues({ 'company.code': companyCode, 'portal_user.email_key': emailKey }))
      .where('portal_user.status', '!=', userStatus.deleted),
  )

export const findCredentialByUserId = (db: DatabaseHandle, userId: number) =>
  findRow(selectCredentials(db).where('portal_user.id', '=', userId))

/** Returns whether the user is still active and still has this hash. Locks the row until the commit. */
export const lockIfPasswordCurrent = (db: DatabaseHandle, userId: number, passwordHash: string) =>
  hasRow(
    db
      .selectFrom('portal_user')
      .select('id')
      .where(hasValues({ id: userId, status: userStatus.activated, password_hash: passwordHash }))
      .forUpdate(),
  )

/** Returns whether the account is neither disabled nor deleted. Locks the row until the commit. */
export const lockIfAccountOpen = (db: DatabaseHandle, userId: number) =>
  hasRow(
    db
      .selectFrom('portal_user')
      .select('id')
      .where('id', '=', userId)
      .where('status', '>=', userStatus.deactivated)
      .forUpdate(),
  )

/** Leaves the version and the change number unchanged, because no list shows the password hash. */
export async function storePasswordHash(db: DatabaseHandle, userId: number, passwordHash: string): Promise<void> {
  await db.updateTable('portal_user').set({ password_hash: passwordHash }).where('id', '=', userId).execute()
}
