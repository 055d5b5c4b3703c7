/** For which company a caller orders: their own, or the one that the provider's staff with the order flag name (api). */
import { isDeleteLevel, isProvider } from '#domain/access.ts'
import type { Id } from '#contract/endpoint.ts'
import { companyById } from '#server/db/accounts/companies.ts'
import { companyOf, type Owned } from '#server/db/orders/service-codes.ts'
import { fenceTo } from '#server/db/tenant.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'

/** What is asked of whoever acts. */
export type Acting = Pick<UseCaseContext, 'db' | 'caller'>

/** The company that is acted for, and what the trail says of it. */
export interface ActingCompany<C extends Acting = UseCaseContext> {
  context: C
  companyId: number
  /** What an entry says of it beside what was done. */
  info: Record<string, unknown>
  /** Where the entry stands: in the log of the company that is acted for. */
  log: Pick<AuditEntry, 'company'>
}

/** For other companies than their own. */
export const mayActFor = ({ caller }: Pick<UseCaseContext, 'caller'>) =>
  isProvider(caller) && (caller.order || isDeleteLevel(caller))

/**
 * Runs the work behind the fence of that company, whose rows alone it meets. Throws NOT_FOUND for a company that is not
 * there, or that is none of the caller's business.
 */
export async function asCompany<T, C extends Acting>(
  context: C,
  companyId: Id | undefined,
  work: (desk: ActingCompany<C>) => Promise<T>,
): Promise<T> {
  const { db, caller } = context
  const id = companyId ?? caller.companyId
  if (id === caller.companyId) return work({ context, companyId: caller.companyId, info: {}, log: {} })
  if (typeof id !== 'number' || !mayActFor(context)) throw notFound()
  await fenceTo(db, id)
  const company = await companyById(db, id)
  if (!company) throw notFound()
  const info = { CompanyName: company.name, ActingFor: company.code }
  const log = { company: { id, actor: caller.companyCode } }
  const done = await work({ context, companyId: id, info, log })
  // What follows is the caller's own: the idempotency store.
  await fenceTo(db, caller.companyId)
  return done
}

/** The same for a row that is named by its id alone. */
export async function forRow<T, C extends Acting>(
  context: C,
  kind: Owned,
  id: Id,
  work: (desk: ActingCompany<C>, id: number) => Promise<T>,
): Promise<T> {
  if (typeof id !== 'number') throw notFound()
  const owner = mayActFor(context) ? await companyOf(context.db, kind, id) : null
  return asCompany(context, owner ?? undefined, (desk) => work(desk, id))
}
