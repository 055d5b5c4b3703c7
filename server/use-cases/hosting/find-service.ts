/** Finds a hosted service for anyone who knows its code (portal 5, 9). */
import { toAdminUrl, checkServiceCode } from '#domain/checks/service-code.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import { findServiceAddress } from '#server/db/hosting/services.ts'
import type { AppContext } from '#server/context/context.ts'
import { createValidationProblem, createNotFoundProblem } from '#server/problems/problem-error.ts'

/** Throws VALIDATION_ERROR for an invalid code, and NOT_FOUND if the service does not exist or has no address, because it is not set up. */
export async function findService(app: AppContext, code: string): Promise<{ url: string; admin_url: string | null }> {
  const problem = checkServiceCode('code', code)
  if (problem) throw createValidationProblem([problem], { code })
  const service = await readAsSystem(app, (db) => findServiceAddress(db, code))
  if (!service?.url) throw createNotFoundProblem()
  return { url: service.url, admin_url: service.admin_url ?? toAdminUrl(service.url) }
}
