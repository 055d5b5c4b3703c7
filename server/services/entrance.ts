/** Where a hosted service is, for whoever knows its code (portal 5, 9). */
import { adminUrlOf, checkServiceCode } from '#domain/entrance.ts'
import { inScope } from '#server/db/scope.ts'
import { addressOfService } from '#server/db/services.ts'
import type { House } from '#server/house.ts'
import { invalid, notFound } from '#server/problem.ts'

/** Throws VALIDATION_ERROR for what is no code, and NOT_FOUND where there is no such service, or none that runs. */
export async function findService(house: House, code: string): Promise<{ url: string; admin_url: string }> {
  const problem = checkServiceCode('code', code)
  if (problem) throw invalid([problem], { code })
  const found = await inScope(house, { role: 'portal_system' }, (db) => addressOfService(db, code), 'reading')
  if (!found?.url) throw notFound()
  return { url: found.url, admin_url: found.admin_url ?? adminUrlOf(found.url) }
}
