/** Releases the company codes of sign-ups that were never activated, so that nobody can reserve codes without using them. */
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { releaseCode, findUnusedSignUps } from '#server/db/accounts/companies.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { quotas } from '#server/use-cases/quotas.ts'

const dayMs = 86_400_000
/** Maximum number of companies per run. The next hourly run continues. */
const maxCompanies = 200

export async function releaseCodes(db: DatabaseHandle, now: number): Promise<number> {
  const unusedCompanies = await findUnusedSignUps(db, {
    createdBefore: now - quotas.activationDays * dayMs,
    createdBeforeWithLink: now - quotas.activationLinkDays * dayMs,
    now,
    limit: maxCompanies,
  })
  let count = 0
  for (const company of unusedCompanies) {
    if (!(await releaseCode(db, company, { change: await takeChangeNumber(db, company.id), time: now }))) continue
    count += 1
    const entryHeader = {
      companyId: company.id,
      userId: null,
      now,
      status: 0,
      intent: null,
      requestId: 'sign-up',
    } as const
    const info = { CompanyName: company.name, CompanyCode: company.code, Reason: 'never activated' }
    await addAuditEntries(db, entryHeader, [{ code: 'company', operation: 'delete', info }])
  }
  return count
}
