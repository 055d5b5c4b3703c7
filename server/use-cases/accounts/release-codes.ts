/** Company codes of sign-ups that were never activated become free again, so that nobody can hold names without using them. */
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { releaseCode, unusedSignUps } from '#server/db/accounts/companies.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { quotas } from '#server/use-cases/quotas.ts'

const dayMs = 86_400_000
/** In one transaction; the rest is for the next hour. */
const most = 200

/** Returns how many it gave back. `now` in epoch ms. */
export async function releaseCodes(db: Handle, now: number): Promise<number> {
  const unused = await unusedSignUps(db, {
    before: now - quotas.activationDays * dayMs,
    beforeWithLink: now - quotas.activationLinkDays * dayMs,
    now,
    most,
  })
  let count = 0
  for (const company of unused) {
    if (!(await releaseCode(db, company, { change: await takeChange(db, company.id), time: now }))) continue
    count += 1
    const head = { companyId: company.id, userId: null, now, status: 0, intent: null, requestId: 'sign-up' } as const
    const info = { CompanyName: company.name, CompanyCode: company.code, Reason: 'never activated' }
    await addToTrail(db, head, [{ code: 'company', operation: 'delete', info }])
  }
  return count
}
