/** Starts and ends acting for a customer: the session of the staff's user names the consent, and each request checks it (decision 111). */
import type { OutputOf } from '#contract/endpoint.ts'
import type { startActing } from '#contract/staff/acting-calls.ts'
import type { Caller } from '#domain/access.ts'
import { toTimestamp } from '#domain/time.ts'
import { type CompanyRecord, findCompanyById } from '#server/db/accounts/companies.ts'
import * as consents from '#server/db/accounts/acting-consents.ts'
import { findUserById } from '#server/db/accounts/users.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { isCustomerId } from '#server/db/customers/customers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { logSecurityEvent } from '#server/context/log.ts'
import { createNotFoundProblem, requireRow } from '#server/problems/problem-error.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { notifyOfMail } from '#server/use-cases/mail/mail-notification.ts'
import { requestMail } from '#server/use-cases/mail/request-mail.ts'
import { announceAccount } from '#server/use-cases/accounts/announce-account.ts'
import { buildConsentEntry, createConsentConflict } from '#server/use-cases/customers/acting-consents.ts'

/** Time in ms in which a member who starts again under the same consent causes no second mail. */
const mailPauseMs = 600_000

export interface ActingCall {
  /** The user of the session. */
  user: Caller
  sessionId: string
  requestId: string
}

interface StartedActing {
  companyId: number
  until: number
  body: OutputOf<typeof startActing>
}

/**
 * Makes the session act for the customer. The caller has checked that the user is an admin of the provider. Throws NOT_FOUND if the company
 * is no customer, and STATE_CONFLICT without a valid consent.
 */
export async function start(app: AppContext, call: ActingCall, companyId: number): Promise<StartedActing> {
  const started = await writeAsSystem(app, async (db) => {
    const now = app.clock()
    if (!(await isCustomerId(db, companyId))) throw createNotFoundProblem()
    const company = requireRow(await findCompanyById(db, companyId))
    const consent = await consents.findOpenConsent(db, companyId)
    if (!consent || !consents.isConsentValid(consent, now)) throw createConsentConflict('noConsent')
    await consents.lockUserOfSession(db, call.sessionId)
    await consents.setActingOfSession(db, call.sessionId, consent.id)
    // After the session's row, as a write of the member does. Whoever ends the consent meanwhile waits, so no start is recorded after its end.
    if (!(await consents.lockOpenConsent(db, consent.id))) throw createConsentConflict('noConsent')
    const userName = await addEntry(db, call, company, consent, now)
    const latestStart = await consents.findLatestStart(db, consent.id, call.user.userId)
    const isMailDue = latestStart === null || latestStart + mailPauseMs <= now
    const useId = await consents.insertUse(db, {
      company_id: companyId,
      consent_id: consent.id,
      user_id: call.user.userId,
      user_name: userName,
      session_id: call.sessionId,
      start_time: now,
    })
    await notifyAdmins(db, consent, { useId, userName, isMailDue }, now)
    return { company, consent }
  })
  announce(app, call, companyId)
  notifyJobs(app)
  logEvent(app, call, 'acting_started', companyId)
  const { company, consent } = started
  const until = consent.until_time
  const body = {
    company_code: company.code,
    company_name: company.name,
    until: toTimestamp(app.config.timeZone, until),
    allows_changes: consent.allows_changes,
  }
  return { companyId, until, body }
}

/** Makes the session its user's own again. Does nothing if it is. */
export async function stop(app: AppContext, call: ActingCall): Promise<void> {
  const companyId = await writeAsSystem(app, (db) => stopInTransaction(db, call, app.clock()))
  if (companyId === null) return
  announce(app, call, companyId)
  logStopped(app, call, companyId)
}

/** Stops in a transaction of the system, also before a sign-out. Returns the customer, or null if the session acted for nobody. */
export async function stopInTransaction(db: DatabaseHandle, call: ActingCall, now: number): Promise<number | null> {
  const consentId = await consents.setActingOfSession(db, call.sessionId, null)
  const consent = consentId === null ? null : await consents.findConsentById(db, consentId)
  if (!consent) return null
  // After the end of the consent nobody acted any more, so there is nothing to record.
  if (consents.isConsentValid(consent, now)) {
    await consents.endUses(db, consent.id, call.sessionId, now)
    await addEntry(db, call, requireRow(await findCompanyById(db, consent.company_id)), null, now)
  }
  return consent.company_id
}

export const logStopped = (app: AppContext, call: ActingCall, companyId: number) =>
  logEvent(app, call, 'acting_stopped', companyId)

/**
 * Notifies the customer's admins of each start, also if they have allowed reading only (decision 116). A member who starts again and again
 * causes no mail each time.
 */
async function notifyAdmins(
  db: DatabaseHandle,
  { company_id: companyId, until_time: until, allows_changes: allowsChanges }: consents.ConsentRecord,
  { useId, userName, isMailDue }: { useId: number; userName: string; isMailDue: boolean },
  now: number,
): Promise<void> {
  const mail = allowsChanges ? 'acting-changes' : 'acting-started'
  const actingStart = { useId, staffName: userName, until }
  for (const userId of await consents.listAdmins(db, companyId))
    await (isMailDue
      ? requestMail(db, { companyId, now }, { mail, userId, actingStart })
      : notifyOfMail(db, { mail, userId, actingStart }, now))
}

/**
 * Adds an entry about a start under `consent`, or about a stop if it is null, to the customer's log. Returns the user's name. The entry names
 * the user, because the customer shall know who acted.
 */
async function addEntry(
  db: DatabaseHandle,
  { user, requestId }: ActingCall,
  company: CompanyRecord,
  consent: consents.ConsentRecord | null,
  now: number,
): Promise<string> {
  const { name } = requireRow(await findUserById(db, user.companyId, user.userId))
  const header = { companyId: user.companyId, userId: user.userId, now, status: 0 as const, intent: null, requestId }
  const entry = buildConsentEntry(consent ? 'started' : 'stopped', {
    CompanyName: company.name,
    StaffName: name,
    ...(consent?.allows_changes ? { HelpChanges: true } : {}),
  })
  await addAuditEntries(db, header, [{ ...entry, company: { id: company.id, actor: user.companyCode } }])
  return name
}

/** The user's pages learn that the session is another one now. */
function announce(app: AppContext, { user: { userId, companyId } }: ActingCall, customerId: number): void {
  announceAccount(app, { companyId, userId })
  announceAccount(app, { companyId: customerId, userId })
}

const logEvent = (
  app: AppContext,
  { user, requestId }: ActingCall,
  event: 'acting_started' | 'acting_stopped',
  about: number,
) => logSecurityEvent(app.log, event, { user: user.userId, tenant: user.companyId, about, request: requestId })
