/**
 * Runs work restricted to the company of a service. The provider's admins may act on the services of all companies, other callers only on
 * those of their own (D43, D46, D50).
 */
import { isProviderAdmin } from '#domain/access.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { findServiceRow, type ServiceListRow } from '#server/db/hosting/services.ts'
import { findOwnerCompanyId, type OwnedKind } from '#server/db/orders/service-codes.ts'
import { createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'
import { type ActingCompany, type ActingContext, runBehindFenceOf } from '#server/use-cases/orders/acting-company.ts'

export type ServiceTrailDetails = Pick<ActingCompany, 'info' | 'log'>

/** Runs `work` restricted to the company that owns the service. Throws NOT_FOUND if the caller may not act on the service. */
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

/** Runs `work` like `runForService`, but for a row of any kind that belongs to a company, and without reading the row. */
export async function runBehindFence<T>(
  context: ActingContext,
  kind: OwnedKind,
  id: RowRef,
  work: (companyId: number, id: number, trailDetails: ServiceTrailDetails) => Promise<T>,
): Promise<T> {
  const { db, caller } = context
  if (typeof id !== 'number') throw createNotFoundProblem()
  const ownerId = isProviderAdmin(caller) ? await findOwnerCompanyId(db, kind, id) : null
  return runBehindFenceOf(context, ownerId ?? caller.companyId, ({ companyId, info, log }) =>
    work(companyId, id, { info, log }),
  )
}
