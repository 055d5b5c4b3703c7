import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'

/** Sets the company whose rows are visible, until the end of the transaction or the next call. */
export async function setTenant(db: DatabaseHandle, companyId: number): Promise<void> {
  await sql`select set_config('app.company', ${String(companyId)}, true)`.execute(db)
}

/**
 * Runs the work with the rows of all companies visible. Only for calls of the provider's admins, because nothing else protects these rows.
 */
export async function runAsSystem<T>(db: DatabaseHandle, work: () => Promise<T>): Promise<T> {
  await sql`select set_config('role', 'portal_system', true)`.execute(db)
  const result = await work()
  await sql`select set_config('role', 'portal_app', true)`.execute(db)
  return result
}
