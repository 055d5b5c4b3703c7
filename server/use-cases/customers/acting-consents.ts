/** Consents of a customer's admin that the provider's staff act for the company (decision 111). */
import { isProvider } from '#domain/access.ts'
import { cleanText } from '#domain/text.ts'
import { toTimestamp } from '#domain/time.ts'
import type { ConsentRow, getConsent, giveConsent, listConsents, revokeConsent } from '#contract/staff/acting-calls.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import * as consents from '#server/db/accounts/acting-consents.ts'
import { findUserById } from '#server/db/accounts/users.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { isCustomerId } from '#server/db/customers/customers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runAsSystem } from '#server/db/tenant.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { createNotFoundProblem, ProblemError, requireRow } from '#server/problems/problem-error.ts'
import { announceAccount } from '#server/use-cases/accounts/announce-account.ts'

const maxListed = 10
const maxUses = 20
const hourMs = 3_600_000

/** How an entry of the audit trail marks what happened to a consent. */
type ConsentMark = 'given' | 'revoked' | 'expired' | 'started' | 'stopped'

export const buildConsentEntry = (mark: ConsentMark, info: Record<string, unknown>) =>
  ({
    code: 'company',
    operation: mark === 'given' || mark === 'started' ? 'enable' : 'disable',
    info: { ...info, Help: mark },
  }) as const

function toConsentRow(
  { app, now }: Pick<UseCaseContext, 'app' | 'now'>,
  consent: consents.ConsentRecord,
  uses: readonly consents.UseRecord[],
): ConsentRow {
  const format = (time: number) => toTimestamp(app.config.timeZone, time)
  const formatOrNull = (time: number | null) => (time === null ? null : format(time))
  const isRevoked = consent.ended_reason === 'revoked'
  return {
    id: consent.id,
    giver_name: consent.giver_name,
    reason: consent.reason,
    allows_changes: consent.allows_changes,
    create_time: format(consent.create_time),
    until: format(consent.until_time),
    state: consents.isConsentValid(consent, now) ? 'valid' : isRevoked ? 'revoked' : 'expired',
    end_time: isRevoked ? formatOrNull(consent.ended) : null,
    uses: uses
      .filter((use) => use.consent_id === consent.id)
      .slice(0, maxUses)
      .map((use) => ({
        user_name: use.user_name,
        start_time: format(use.start_time),
        end_time: formatOrNull(use.end_time),
      })),
  }
}

export const list: UseCase<typeof listConsents> = async (context) => {
  const { db, caller } = context
  const records = await consents.listConsentRecords(db, caller.companyId, maxListed)
  const uses = await consents.listUses(
    db,
    records.map(({ id }) => id),
  )
  return { body: records.map((record) => toConsentRow(context, record, uses)) }
}

async function readConsent(context: UseCaseContext, id: number): Promise<ConsentRow> {
  const consent = requireRow(await consents.findConsentRecord(context.db, context.caller.companyId, id))
  return toConsentRow(context, consent, await consents.listUses(context.db, [id]))
}

/** Throws STATE_CONFLICT if a consent is valid, and for the provider's own company. */
export const give: UseCase<typeof giveConsent> = async (context, { body }) => {
  const { db, caller, now } = context
  if (isProvider(caller)) throw createConsentConflict('isProvider')
  const open = await consents.findOpenConsent(db, caller.companyId)
  if (open && consents.isConsentValid(open, now)) throw createConsentConflict('hasConsent')
  if (open) await endOverdueConsent(context, open)
  const user = requireRow(await findUserById(db, caller.companyId, caller.userId))
  const until = now + body.hours * hourMs
  const reason = cleanText(body.reason)
  const id = await consents.insertConsent(db, {
    company_id: caller.companyId,
    giver_id: user.id,
    giver_name: user.name,
    reason,
    allows_changes: body.allows_changes,
    create_time: now,
    until_time: until,
  })
  // Another admin gave one at the same time.
  if (id === null) throw createConsentConflict('hasConsent')
  await context.audit(
    buildConsentEntry('given', {
      CompanyName: user.company_name,
      Hours: body.hours,
      ...(body.allows_changes ? { HelpChanges: true } : {}),
      ...(reason === '' ? {} : { HelpReason: reason }),
    }),
  )
  return { body: await readConsent(context, id) }
}

export const createConsentConflict = (reason: 'hasConsent' | 'noConsent' | 'isProvider') =>
  new ProblemError('STATE_CONFLICT', { why: reason })

const getOverdueReason = (consent: consents.ConsentRecord) => (consent.is_giver_admin ? 'expired' : 'giver')

async function endOverdueConsent(context: UseCaseContext, consent: consents.ConsentRecord): Promise<void> {
  const { db, caller, now } = context
  const ended = Math.min(now, consent.until_time)
  if (!(await consents.endConsent(db, consent.id, { ended, ended_reason: getOverdueReason(consent) }))) return
  const company = await findCompanyById(db, caller.companyId)
  await context.audit(buildConsentEntry('expired', { CompanyName: company?.name }))
}

/** Ends a valid consent. Any admin of the company may. The next requests of the sessions that act are refused, and their pages learn of it. */
export const revoke: UseCase<typeof revokeConsent> = async (context, { params }) => {
  const { app, db, caller, now } = context
  const consent = requireRow(await consents.findConsentRecord(db, caller.companyId, params.id))
  if (consents.isConsentValid(consent, now)) {
    await consents.endConsent(db, consent.id, { ended: now, ended_reason: 'revoked' })
    const company = await findCompanyById(db, caller.companyId)
    await context.audit(buildConsentEntry('revoked', { CompanyName: company?.name }))
    const userIds = await runAsSystem(db, () => consents.listActingUsers(db, consent.id))
    context.afterCommit(() => announceEnd(app, consent, userIds))
  }
  return { body: await readConsent(context, params.id) }
}

function announceEnd(
  app: AppContext,
  { company_id: companyId }: Pick<consents.ConsentRecord, 'company_id'>,
  userIds: readonly number[],
): void {
  for (const userId of userIds) announceAccount(app, { companyId, userId })
}

/** For the staff. Throws NOT_FOUND if the company is no customer. */
export const get: UseCase<typeof getConsent> = async ({ app, db, caller, now }, { params }) => {
  if (!isProvider(caller)) throw createNotFoundProblem()
  const consent = await runAsSystem(db, async () => {
    if (!(await isCustomerId(db, params.companyId))) throw createNotFoundProblem()
    return consents.findOpenConsent(db, params.companyId)
  })
  if (!consent || !consents.isConsentValid(consent, now)) return { body: { consent: null } }
  const { giver_name, reason, until_time, allows_changes } = consent
  const until = toTimestamp(app.config.timeZone, until_time)
  return { body: { consent: { giver_name, reason, until, allows_changes } } }
}

/**
 * Records that consents are over: their time has passed, or the user who gave them is no longer an active admin. They have had no effect
 * since then, because every request checks that itself.
 */
export async function recordEndedConsents(app: AppContext): Promise<void> {
  const ends = await writeAsSystem(app, async (db) => {
    const now = app.clock()
    const records = await consents.listOverdueConsents(db, now)
    for (const consent of records) await recordEndedConsent(db, consent, now)
    return Promise.all(
      records.map(async (consent) => ({ consent, userIds: await consents.listActingUsers(db, consent.id) })),
    )
  })
  for (const { consent, userIds } of ends) announceEnd(app, consent, userIds)
}

async function recordEndedConsent(db: DatabaseHandle, consent: consents.ConsentRecord, now: number): Promise<void> {
  const ended = Math.min(now, consent.until_time)
  if (!(await consents.endConsent(db, consent.id, { ended, ended_reason: getOverdueReason(consent) }))) return
  const company = await findCompanyById(db, consent.company_id)
  const header = { companyId: consent.company_id, userId: null, now, status: 0 as const, intent: null }
  await addAuditEntries(db, { ...header, requestId: `consent-${consent.id}` }, [
    buildConsentEntry('expired', { CompanyName: company?.name }),
  ])
}
