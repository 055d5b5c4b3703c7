/** Whether the database answers. */
import { sql } from 'kysely'
import { inScope } from '#server/db/scope.ts'
import type { House } from '#server/house.ts'

export async function isReachable(house: House): Promise<boolean> {
  try {
    await inScope(house, { role: 'portal_system' }, (db) => sql`select 1`.execute(db), 'reading')
    return true
  } catch {
    return false
  }
}
