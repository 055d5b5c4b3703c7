/** For which company a caller orders: their own, or the one that the provider's staff with the order flag name (api). */
import { isDeleteLevel, isProvider } from '#domain/access.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { findOwnerCompanyId, type OwnedKind } from '#server/db/orders/service-codes.ts'
import { setTenant } from '#server/db/tenant.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'

/** What is asked of whoever acts. */
export type ActingContext = Pick<UseCaseContext, 'db' | 'caller'>

/** The company that is acted for, and what the trail says of it. */
export interface ActingCompany<C extends ActingContext = UseCaseContext> {
  context: C
  companyId: number
  /** What an entry says of it beside what was done. */
  info: Record<string, unknown>
  /** Where the entry stands: in the log of the company that is acted for. */
  log: Pick<AuditEntry, 'company'>
}

/** For other companies than their own. */
export const canActFor = ({ caller }: Pick<UseCaseContext, 'caller'>) =>
  isProvider(caller) && (caller.order || isDeleteLevel(caller))

/**
 * Runs the work behind the fence of that company, whose rows alone it meets. Throws NOT_FOUND for a company that is not
 * there, or that is none of the caller's business.
 */
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

/** Checks nothing: the caller may act for the company. */
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
  // What follows is the caller's own: the idempotency store.
  await setTenant(db, caller.companyId)
  return result
}

/** The same for a row that is named by its id alone. */
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
