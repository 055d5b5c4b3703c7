/** Determines the company that a caller orders for: their own, or another one that the provider's staff name (api). */
import { isDeleteLevel, isProvider } from '#domain/access.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { findOwnerCompanyId, type OwnedKind } from '#server/db/orders/service-codes.ts'
import { setTenant } from '#server/db/tenant.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'

export type ActingContext = Pick<UseCaseContext, 'db' | 'caller'>

export interface ActingCompany<C extends ActingContext = UseCaseContext> {
  context: C
  companyId: number
  info: Record<string, unknown>
  /** Additional fields of the audit entry: the log of the company that the caller acts for. */
  log: Pick<AuditEntry, 'company'>
}

/** Whether the caller may act for other companies. */
export const canActFor = ({ caller }: Pick<UseCaseContext, 'caller'>) =>
  isProvider(caller) && (caller.order || isDeleteLevel(caller))

/** Runs `work` restricted to the company (by default the caller's). Throws NOT_FOUND if the caller may not act for it. */
export async function runAsCompany<T, C extends ActingContext>(
  context: C,
  companyId: RowRef | undefined,
  work: (actingCompany: ActingCompany<C>) => Promise<T>,
): Promise<T> {
  const { caller } = context
  const id = companyId ?? caller.companyId
  if (typeof id !== 'number' || (id !== caller.companyId && !canActFor(context))) throw createNotFoundProblem()
  return runBehindFenceOf(context, id, work)
}

/**
 * Runs `work` restricted to the company. Does not check permissions: the caller must have checked that the user may act for the company.
 */
export async function runBehindFenceOf<T, C extends ActingContext>(
  context: C,
  id: number,
  work: (actingCompany: ActingCompany<C>) => Promise<T>,
): Promise<T> {
  const { db, caller } = context
  if (id === caller.companyId) return work({ context, companyId: id, info: {}, log: {} })
  await setTenant(db, id)
  const company = requireRow(await findCompanyById(db, id))
  const info = { CompanyName: company.name, ActingFor: company.code }
  const log = { company: { id, actor: caller.companyCode } }
  const result = await work({ context, companyId: id, info, log })
  // The next rows, in the idempotency store, belong to the caller's company again.
  await setTenant(db, caller.companyId)
  return result
}

/**
 * Runs `work` restricted to the company that owns the row. Throws NOT_FOUND if `id` is still a reference to an intent (`~…`) instead of a
 * row number.
 */
export async function runForRow<T, C extends ActingContext>(
  context: C,
  kind: OwnedKind,
  id: RowRef,
  work: (actingCompany: ActingCompany<C>, id: number) => Promise<T>,
): Promise<T> {
  if (typeof id !== 'number') throw createNotFoundProblem()
  const ownerId = canActFor(context) ? await findOwnerCompanyId(context.db, kind, id) : null
  return runAsCompany(context, ownerId ?? undefined, (actingCompany) => work(actingCompany, id))
}
