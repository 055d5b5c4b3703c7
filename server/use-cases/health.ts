/** Whether the database answers. */
import { sql } from 'kysely'
import { runInTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'

export async function isDatabaseHealthy(app: AppContext): Promise<boolean> {
  try {
    await runInTransaction(app, { role: 'portal_system' }, (db) => sql`select 1`.execute(db), 'reading')
    return true
  } catch {
    return false
  }
}
