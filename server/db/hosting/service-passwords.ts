/** New passwords of services as rows: one a service, until it was told. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'

export interface SealedPassword {
  serviceId: number
  companyId: number
  /** Who may fetch it. */
  userId: number
  sealedText: string
  /** Epoch ms. */
  until: number
}

/** In the place of the one before. As the system. */
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

/** It is gone with this transaction. Null: none for this user, or its time is over. */
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
