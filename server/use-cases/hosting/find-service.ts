/** Where a hosted service is, for whoever knows its code (portal 5, 9). */
import { adminUrlOf, checkServiceCode } from '#domain/checks/entrance.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { addressOfService } from '#server/db/hosting/services.ts'
import type { AppContext } from '#server/context/context.ts'
import { invalid, notFound } from '#server/problems/problem-error.ts'

/** Throws VALIDATION_ERROR for what is no code, and NOT_FOUND where there is no such service, or none that runs. */
export async function findService(app: AppContext, code: string): Promise<{ url: string; admin_url: string | null }> {
  const problem = checkServiceCode('code', code)
  if (problem) throw invalid([problem], { code })
  const found = await inTransaction(app, { role: 'portal_system' }, (db) => addressOfService(db, code), 'reading')
  if (!found?.url) throw notFound()
  return { url: found.url, admin_url: found.admin_url ?? adminUrlOf(found.url) }
}
