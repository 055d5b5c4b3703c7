/**
 * Mail is asked for in the transaction of what it is about, as a job's row without any secret: the link is made when the mail
 * is sent (`mail-words/compose-mail.ts`), so that nothing that opens an account ever stands in the database (S-35).
 */
import { createHash, randomBytes } from 'node:crypto'
import { type Caller, PROVIDER } from '#domain/access.ts'
import { maxMailsPerHour } from '#domain/mails.ts'
import { foldText } from '#domain/text.ts'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import { companyById } from '#server/db/accounts/companies.ts'
import type { Handle } from '#server/db/handle.ts'
import { insertJob } from '#server/db/jobs.ts'
import type { Purpose } from '#server/db/accounts/one-time-keys.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { addressGroup } from '#server/shares/client-address.ts'
import type { AskedMail, Wanted } from '#server/use-cases/mail/mail-kinds.ts'

/** The kind of the job that sends it. */
export const mailJob = 'send-mail'

const hourMs = 3_600_000
/** D75, ms. */
export const linkLives = { activate: 72 * hourMs, reset: hourMs } satisfies Record<Purpose, number>

/** Of which company the row is; 0 while nobody is looked for. */
interface Asking {
  companyId: number
  now: number
}

export async function askMail(db: Handle, { companyId, now }: Asking, wanted: Wanted): Promise<void> {
  const id = randomBytes(16).toString('hex')
  const input: AskedMail = { ...wanted, id }
  // Nobody's: no user is shown it among their long requests.
  const nobodys = { companyId, userId: 0, intent: id, progressKey: '' }
  await insertJob(db, { ...nobodys, id, kind: mailJob, input, now, deadline: now + linkLives.activate })
}

/** S-40, in an hour. */
const maxMails = { address: 3, network: 20 }

type Inviter = Pick<Caller, 'companyId' | 'companyCode'>

/**
 * Throws with the wait: to strangers RATE_LIMITED; to an admin, whose writes come out of a queue, MAIL_LIMIT, which is about
 * this one mail and stops nothing else, or COMPANY_MAIL_LIMIT, which is waited for. An address counts whether or not it is
 * known. A stranger, who has a network address, and a company's admin are counted apart: nobody outside can keep a colleague
 * from being invited (S-30).
 */
export async function countMails(
  db: Handle,
  { email, by, now }: { email: string; by: { network: string } | Inviter; now: number },
): Promise<void> {
  const to = hashed(foldText(email))
  const count = (subject: string, most: number) => countMail(db, { subject, most, spanMs: hourMs, now })
  if ('network' in by) {
    const ofStranger =
      (await count(`mail from ${addressGroup(by.network).slice(0, 60)}`, maxMails.network)) ??
      (await count(`mail to ${to}`, maxMails.address))
    if (ofStranger !== null) throw new ProblemError('RATE_LIMITED', null, Math.ceil(ofStranger / 1000))
    return
  }
  const ofAddress = await count(`mail of ${by.companyId} to ${to}`, maxMails.address)
  if (ofAddress !== null) throw new ProblemError('MAIL_LIMIT', { minutes: Math.ceil(ofAddress / 60_000) })
  const ofCompany = await countOfCompany(db, 'invitations', by, now)
  if (ofCompany === null) return
  const seconds = Math.ceil(ofCompany / 1000)
  const data = { minutes: Math.ceil(seconds / 60), retry_after: seconds }
  throw new ProblemError('COMPANY_MAIL_LIMIT', data, seconds)
}

/** Null: counted; otherwise the ms to wait. */
export async function countOfCompany(
  db: Handle,
  kind: 'invitations' | 'early resets',
  { companyId, companyCode }: Inviter,
  now: number,
): Promise<number | null> {
  const company = await companyById(db, companyId)
  if (!company) throw new Error('a company that asks for mails is not there')
  const most = maxMailsPerHour({ registered: company.create_time, isProvider: companyCode === PROVIDER }, now)
  return countMail(db, { subject: `${kind} of ${companyId}`, most, spanMs: hourMs, now })
}

const hashed = (text: string) => createHash('sha256').update(text).digest('base64url')
