/** Whose rows a transaction meets. */
import { sql } from 'kysely'
import type { Handle } from '#server/db/handle.ts'

/** From here on the fence is that company's, until the end of the transaction or the next call. */
export async function fenceTo(db: Handle, companyId: number): Promise<void> {
  await sql`select set_config('app.company', ${String(companyId)}, true)`.execute(db)
}
