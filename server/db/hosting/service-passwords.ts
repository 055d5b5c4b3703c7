/** Rows of new service passwords: at most one for each service, until its user fetches it. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'

export interface SealedPassword {
  serviceId: number
  companyId: number
  userId: number
  sealedText: string
  /** Epoch ms. */
  until: number
}

/** Stores a password and replaces an earlier one. Needs the system role. */
export async function storePassword(
  db: DatabaseHandle,
  { serviceId, companyId, userId, sealedText, until }: SealedPassword,
) {
  await db
    .insertInto('service_password')
    .values({ service_id: serviceId, company_id: companyId, user_id: userId, sealed: sealedText, until })
    .onConflict((conflict) => conflict.column('service_id').doUpdateSet({ user_id: userId, sealed: sealedText, until }))
    .execute()
}

export async function deletePassword(db: DatabaseHandle, serviceId: number): Promise<void> {
  await db.deleteFrom('service_password').where('service_id', '=', serviceId).execute()
}

/** Returns the sealed password and deletes it in this transaction. Returns null if it has expired or belongs to another user. */
export async function fetchPasswordOnce(
  db: DatabaseHandle,
  { serviceId, userId, now }: { serviceId: number; userId: number; now: number },
): Promise<string | null> {
  const row = await db
    .deleteFrom('service_password')
    .where(hasValues({ service_id: serviceId, user_id: userId }))
    .where('until', '>', now)
    .returning('sealed')
    .executeTakeFirst()
  return row?.sealed ?? null
}

export async function deleteExpiredPasswords(db: DatabaseHandle, now: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('service_password').where('until', '<=', now).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
