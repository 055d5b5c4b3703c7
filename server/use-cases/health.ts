/** Whether the database answers. */
import { sql } from 'kysely'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'

export async function isReachable(app: AppContext): Promise<boolean> {
  try {
    await inTransaction(app, { role: 'portal_system' }, (db) => sql`select 1`.execute(db), 'reading')
    return true
  } catch {
    return false
  }
}
