/** Whose rows a transaction meets. */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'

/** From here on the fence is that company's, until the end of the transaction or the next call. */
export async function setTenant(db: DatabaseHandle, companyId: number): Promise<void> {
  await sql`select set_config('app.company', ${String(companyId)}, true)`.execute(db)
}

/**
 * Runs the work as the system role, which meets the rows of all companies, and puts the caller's role back. Only for calls that are
 * the provider admins' alone: for them the permission is the one fence.
 */
export async function runAsSystem<T>(db: DatabaseHandle, work: () => Promise<T>): Promise<T> {
  await sql`select set_config('role', 'portal_system', true)`.execute(db)
  const result = await work()
  await sql`select set_config('role', 'portal_app', true)`.execute(db)
  return result
}
