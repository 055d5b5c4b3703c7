/** Whose service is acted on: the caller's own, with the order flag, or any customer's by the provider's admins (D43, D46, D50). */
import { isProviderAdmin } from '#domain/access.ts'
import type { Id } from '#contract/endpoint.ts'
import { companyById } from '#server/db/accounts/companies.ts'
import { serviceRowById, type ServiceRow } from '#server/db/hosting/services.ts'
import { companyOf, type Owned } from '#server/db/orders/service-codes.ts'
import { fenceTo } from '#server/db/tenant.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { UseCaseContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'

export interface OnService {
  /** What an entry of the trail says of it beside what was done. */
  info: Record<string, unknown>
  /** Where the entry stands. */
  log: Pick<AuditEntry, 'company'>
}

type Acting = Pick<UseCaseContext, 'db' | 'caller'>

/** Runs the work behind the fence of the company whose service it is. Throws NOT_FOUND. */
export async function forService<T>(
  context: Acting,
  id: Id,
  work: (row: ServiceRow, on: OnService) => Promise<T>,
): Promise<T> {
  return behindFence(context, 'service', id, async (companyId, rowId, on) => {
    const row = await serviceRowById(context.db, companyId, rowId)
    if (!row) throw notFound()
    return await work(row, on)
  })
}

/** The same for a row of another kind that is named by its id: its company decides. */
export async function behindFence<T>(
  context: Acting,
  kind: Owned,
  id: Id,
  work: (companyId: number, id: number, on: OnService) => Promise<T>,
): Promise<T> {
  const { db, caller } = context
  if (typeof id !== 'number') throw notFound()
  const owner = isProviderAdmin(caller) ? await companyOf(db, kind, id) : null
  if (owner === null || owner === caller.companyId) return work(caller.companyId, id, { info: {}, log: {} })
  await fenceTo(db, owner)
  const company = await companyById(db, owner)
  if (!company) throw notFound()
  const info = { CompanyName: company.name, ActingFor: company.code }
  const done = await work(owner, id, { info, log: { company: { id: owner, actor: caller.companyCode } } })
  // What follows is the caller's own: the idempotency store.
  await fenceTo(db, caller.companyId)
  return done
}
