/**
 * Requests a mail in the transaction of the change that it reports, as a job row without any secret. The link is created when the mail is
 * sent, so the database never contains anything that opens an account (S-35).
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Caller, PROVIDER } from '#domain/access.ts'
import { getMaxMailsPerHour } from '#domain/mails.ts'
import { normaliseText } from '#domain/text.ts'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { insertOrFindJob } from '#server/db/jobs.ts'
import type { KeyPurpose } from '#server/db/accounts/one-time-keys.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { getAddressGroup } from '#server/shares/client-address.ts'
import type { QueuedMail, MailRequest } from '#server/use-cases/mail/mail-kinds.ts'
import { notifyOfMail } from '#server/use-cases/mail/mail-notification.ts'

export const mailJob = 'send-mail'

const hourMs = 3_600_000
/** Lifetimes of mailed links in ms (D75). */
export const linkLifetimesMs = { activate: 72 * hourMs, reset: hourMs } satisfies Record<KeyPurpose, number>

/** `companyId` is the company of the job row. It is 0 if the user is looked up later. */
interface MailContext {
  companyId: number
  now: number
}

/** Also creates the notification of the event, if it has one. A user who has switched the mail off gets only the notification. */
export async function requestMail(
  db: DatabaseHandle,
  { companyId, now }: MailContext,
  request: MailRequest,
): Promise<void> {
  if (!(await notifyOfMail(db, request, now))) return
  const id = randomBytes(16).toString('hex')
  const input: QueuedMail = { ...request, id }
  // The owner of the job is user 0, so that the job is not among the jobs of any user.
  const jobOwner = { companyId, userId: 0, intent: id, progressKey: '' }
  await insertOrFindJob(db, { ...jobOwner, id, kind: mailJob, input, now, deadline: now + linkLifetimesMs.activate })
}

/** Maximum number of mails per hour to an address, and from a network (S-40). */
const maxMails = { address: 3, network: 20 }

type MailSender = Pick<Caller, 'companyId' | 'companyCode'>

/**
 * Counts a mail. Above the limit it throws a problem with the time to wait: RATE_LIMITED for anonymous callers, MAIL_LIMIT for an admin
 * (refuses this mail only), COMPANY_MAIL_LIMIT for an admin (the outbox waits). Addresses without an account are counted too. Anonymous
 * callers (by network) and admins are counted separately, so that an outsider cannot block an invitation (S-30).
 */
export async function countMails(
  db: DatabaseHandle,
  { email, sender, now }: { email: string; sender: { network: string } | MailSender; now: number },
): Promise<void> {
  const recipientHash = hashText(normaliseText(email))
  const countSubject = (subject: string, maxCount: number) =>
    countMail(db, { subject, maxMails: maxCount, windowMs: hourMs, now })
  if ('network' in sender) {
    const anonymousWaitMs =
      (await countSubject(`mail from ${getAddressGroup(sender.network).slice(0, 60)}`, maxMails.network)) ??
      (await countSubject(`mail to ${recipientHash}`, maxMails.address))
    if (anonymousWaitMs !== null) throw new ProblemError('RATE_LIMITED', null, Math.ceil(anonymousWaitMs / 1000))
    return
  }
  const addressWaitMs = await countSubject(`mail of ${sender.companyId} to ${recipientHash}`, maxMails.address)
  if (addressWaitMs !== null) throw new ProblemError('MAIL_LIMIT', { minutes: Math.ceil(addressWaitMs / 60_000) })
  const companyWaitMs = await countCompanyMail(db, 'invitations', sender, now)
  if (companyWaitMs === null) return
  const seconds = Math.ceil(companyWaitMs / 1000)
  const data = { minutes: Math.ceil(seconds / 60), retry_after: seconds }
  throw new ProblemError('COMPANY_MAIL_LIMIT', data, seconds)
}

/** Counts a mail of a company. Returns null if the mail was counted, or the time to wait in ms. */
export async function countCompanyMail(
  db: DatabaseHandle,
  kind: 'invitations' | 'early resets',
  { companyId, companyCode }: MailSender,
  now: number,
): Promise<number | null> {
  const company = await findCompanyById(db, companyId)
  if (!company) throw new Error('the company that requests the mail does not exist')
  const maxCount = getMaxMailsPerHour({ registeredAt: company.create_time, isProvider: companyCode === PROVIDER }, now)
  return countMail(db, { subject: `${kind} of ${companyId}`, maxMails: maxCount, windowMs: hourMs, now })
}

const hashText = (text: string) => createHash('sha256').update(text).digest('base64url')
