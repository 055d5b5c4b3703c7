import { sql } from 'kysely'
import { readAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'

export async function isDatabaseHealthy(app: AppContext): Promise<boolean> {
  try {
    await readAsSystem(app, (db) => sql`select 1`.execute(db))
    return true
  } catch {
    return false
  }
}
