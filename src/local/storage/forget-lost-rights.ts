import { type AccessLevel, isRightLost, isAllowed } from '#domain/access.ts'
import type { UserRow } from '#contract/users.ts'
import { getMetaRecord, storedTrailTables } from '#local/storage/database.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { clearCachedTables } from '#local/storage/eviction.ts'

type AccountRights = Pick<
  UserRow,
  'admin' | 'order' | 'access_level' | 'company_id' | 'company_code' | 'row_version'
> & {
  id: number
}

/**
 * Clears the cache after the user has lost a right, because the user may no longer see all of it. Only the first page that detects the loss
 * does this.
 */
export async function forgetLostRights(
  previousAccount: AccountRights,
  account: AccountRights,
  device: Device = getThisDevice(),
): Promise<void> {
  if (previousAccount.id !== account.id || !isRightLost(previousAccount, account)) return
  const db = device.getDatabase({ companyId: account.company_id, userId: account.id })
  const version = account.row_version
  if (((await getMetaRecord(db, 'lost-rights'))?.version ?? -1) >= version) return
  // Only a user who may read the audit trail may keep it.
  if (!isAllowed('trail', toCaller(account))) for (const table of storedTrailTables) await db.table(table).clear()
  await clearCachedTables(db)
  await db.meta.put({ name: 'lost-rights', version })
}

const toCaller = ({ admin, order, id, company_id, company_code, access_level }: AccountRights) => ({
  admin,
  order,
  userId: id,
  companyId: company_id,
  companyCode: company_code,
  accessLevel: access_level as AccessLevel,
})
