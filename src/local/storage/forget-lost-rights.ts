import { type AccessLevel, isRightLost, may } from '#domain/access.ts'
import type { UserRow } from '#contract/users.ts'
import { keptTables } from '#local/storage/database.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { clear } from '#local/storage/eviction.ts'

type Account = Pick<UserRow, 'admin' | 'order' | 'access_level' | 'company_id' | 'company_code' | 'row_version'> & {
  id: number
}

/**
 * Forgets what can be fetched again once a right was lost: what it showed is not for this user any more. Of several pages that hear of
 * it, the first does so.
 */
export async function forgetLostRights(before: Account, now: Account, device: Device = thisDevice()): Promise<void> {
  if (before.id !== now.id || !isRightLost(before, now)) return
  const db = device.of({ companyId: now.company_id, userId: now.id })
  const last = await db.meta.get('lost-rights')
  const version = now.row_version
  if (last?.name === 'lost-rights' && last.version >= version) return
  // Only who may read the trail keeps it.
  if (!may('trail', toCaller(now))) for (const table of keptTables) await db.table(table).clear()
  await clear(db)
  await db.meta.put({ name: 'lost-rights', version })
}

const toCaller = ({ admin, order, id, company_id, company_code, access_level }: Account) => ({
  admin,
  order,
  userId: id,
  companyId: company_id,
  companyCode: company_code,
  accessLevel: access_level as AccessLevel,
})
