/** Writes of the provider's staff for a customer, under a consent that allows changes (decision 116). */
import type { Caller } from '#domain/access.ts'
import type { AppContext } from '#server/context/context.ts'
import { lockValidConsent } from '#server/db/accounts/acting-consents.ts'
import { type AuditEntry, buildActingInfo } from '#server/db/audit/audit-entry.ts'
import { addAuditEntries, type EntryHeader } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runAsSystem, setTenant } from '#server/db/tenant.ts'
import { ProblemError } from '#server/problems/problem-error.ts'

/**
 * Throws ACTING_ENDED if the consent has ended since the request was authenticated. Runs first in the transaction of the write. Whoever ends
 * the consent meanwhile waits for the commit, so nothing takes effect after it has ended.
 */
export async function requireConsentOfWrite(
  db: DatabaseHandle,
  app: AppContext,
  { caller, sessionId }: { caller: Caller | null; sessionId: string | null },
): Promise<void> {
  const consent = caller?.actingConsent
  if (!consent) return
  const isValid = await runAsSystem(db, () => lockValidConsent(db, consent, sessionId ?? '', app.clock))
  if (!isValid) throw new ProblemError('ACTING_ENDED')
}

/** Adds the entries of a write. Those of a member of the staff are recorded in the customer's log as entries of the staff. */
export async function addEntriesOfWrite(
  db: DatabaseHandle,
  caller: Caller | null,
  header: EntryHeader,
  entries: readonly AuditEntry[],
): Promise<void> {
  if (!caller?.actingConsent) return await addAuditEntries(db, header, entries)
  const { staffCompanyId, staffCompanyCode } = caller.actingConsent
  const company = { id: caller.companyId, actor: staffCompanyCode }
  const info = buildActingInfo(caller.actingConsent)
  await addAuditEntries(
    db,
    { ...header, companyId: staffCompanyId },
    entries.map((entry) => ({ ...entry, info: { ...entry.info, ...info }, company })),
  )
  // The next row, in the idempotency store, belongs to the customer.
  await setTenant(db, caller.companyId)
}
