import { sql } from 'kysely'
import { readAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'

/** Returns whether the database can be reached and accepts writes. */
export async function isDatabaseHealthy(app: AppContext): Promise<boolean> {
  try {
    const { rows } = await readAsSystem(app, (db) =>
      sql<{ canWrite: boolean }>`select not pg_is_in_recovery()
        and not current_setting('default_transaction_read_only')::boolean as "canWrite"`.execute(db),
    )
    const canWrite = rows[0]?.canWrite === true
    // No write would notice this while a load balancer sends no requests.
    if (!canWrite) app.database.discardConnections()
    return canWrite
  } catch {
    return false
  }
}
