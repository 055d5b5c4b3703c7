/** Whose service is acted on: the caller's own, with the order flag, or any customer's by the provider's admins (D43, D46, D50). */
import { isProviderAdmin } from '#domain/access.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { findServiceRow, type ServiceListRow } from '#server/db/hosting/services.ts'
import { findOwnerCompanyId, type OwnedKind } from '#server/db/orders/service-codes.ts'
import { setTenant } from '#server/db/tenant.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'

export interface ServiceTrailDetails {
  /** What an entry of the trail says of it beside what was done. */
  info: Record<string, unknown>
  /** Where the entry stands. */
  log: Pick<AuditEntry, 'company'>
}

type ActingContext = Pick<UseCaseContext, 'db' | 'caller'>

/** Runs the work behind the fence of the company whose service it is. Throws NOT_FOUND. */
export async function runForService<T>(
  context: ActingContext,
  id: RowRef,
  work: (row: ServiceListRow, trailDetails: ServiceTrailDetails) => Promise<T>,
): Promise<T> {
  return runBehindFence(context, 'service', id, async (companyId, rowId, trailDetails) => {
    const row = requireRow(await findServiceRow(context.db, companyId, rowId))
    return await work(row, trailDetails)
  })
}

/** The same for a row of another kind that is named by its id: its company decides. */
export async function runBehindFence<T>(
  context: ActingContext,
  kind: OwnedKind,
  id: RowRef,
  work: (companyId: number, id: number, trailDetails: ServiceTrailDetails) => Promise<T>,
): Promise<T> {
  const { db, caller } = context
  if (typeof id !== 'number') throw createNotFoundProblem()
  const ownerId = isProviderAdmin(caller) ? await findOwnerCompanyId(db, kind, id) : null
  if (ownerId === null || ownerId === caller.companyId) return work(caller.companyId, id, { info: {}, log: {} })
  await setTenant(db, ownerId)
  const company = requireRow(await findCompanyById(db, ownerId))
  const info = { CompanyName: company.name, ActingFor: company.code }
  const result = await work(ownerId, id, { info, log: { company: { id: ownerId, actor: caller.companyCode } } })
  // What follows is the caller's own: the idempotency store.
  await setTenant(db, caller.companyId)
  return result
}
