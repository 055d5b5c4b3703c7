/**
 * Mail is asked for in the transaction of what it is about, as a job's row without any secret: the link is made when the mail
 * is sent, out of the row's name and the installation's key, so that every attempt at one mail carries the same link and
 * nothing that opens an account ever stands in the database (S-35).
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { type Caller, PROVIDER } from '#domain/access.ts'
import { maxMailsPerHour } from '#domain/mails.ts'
import { foldText } from '#domain/text.ts'
import { timestampIn } from '#domain/time.ts'
import { type Language, userStatus, type UserStatus } from '#domain/accounts/users.ts'
import { countMail } from '#server/db/accounts/sign-in-attempts.ts'
import { companyById } from '#server/db/accounts/companies.ts'
import { type Credential, credentialOf, findCredential } from '#server/db/accounts/credentials.ts'
import type { Handle } from '#server/db/handle.ts'
import { insertJob } from '#server/db/jobs.ts'
import { offerKey, type Purpose } from '#server/db/accounts/one-time-keys.ts'
import type { Mail } from '#server/drivers/mail/driver.ts'
import type { AppContext } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { addressGroup } from '#server/shares/client-address.ts'
import type { DeviceWords } from '#server/use-cases/sessions/user-agent.ts'
import { checkpointWords, type CheckpointWords } from '#server/use-cases/audit/checkpoint-words.ts'
import { compose, type Composed, deviceIn, type MailKind } from '#server/use-cases/mail/mail-templates.ts'
import {
  type AskedOfPayment,
  type BackupPaymentMail,
  paymentWordsOf,
  type TrafficMail,
} from '#server/use-cases/hosting/traffic/payment-mails.ts'
import { type ServiceMail, type ServiceMatter, serviceWordsOf } from '#server/use-cases/hosting/service-mails.ts'
import { type ChangeMail, type OrderMail, type OrderWords, wordsOf } from '#server/use-cases/orders/order-mails.ts'
import { type TaskMail, taskWordsOf } from '#server/use-cases/payments/task-mails.ts'

/** The kind of the job that sends it. */
export const mailJob = 'send-mail'

const hourMs = 3_600_000
/** D75, ms. */
export const linkLives = { activate: 72 * hourMs, reset: hourMs } satisfies Record<Purpose, number>

/** How the account is signed in to has changed. */
export type FactorMail =
  | 'factor-added'
  | 'factor-removed'
  | 'factor-reset'
  | 'factor-guessed'
  | 'recovery-used'
  | 'recovery-renewed'
/** What a sign-in came from; `at` in epoch ms. */
export interface NewDevice extends Pick<DeviceWords, 'browser' | 'system'> {
  at: number
  network: string
}

/** Whom it is to: a user, or who has typed that they are one, which nobody is told (S-32). */
export type Wanted =
  | { mail: 'activation' | 'password-changed' | 'session-copied' | FactorMail; userId: number }
  | { mail: 'reset'; companyCode: string; email: string }
  | { mail: 'new-device'; userId: number; device: NewDevice }
  | { mail: OrderMail; userId: number; orderId: number }
  | { mail: 'audit-checkpoint'; userId: number; size: number }
  | { mail: 'audit-alarm'; userId: number; logCompanyId: number }
  | ({ userId: number } & ServiceMatter)
  | (AskedOfPayment & { userId: number })
  | { mail: TaskMail; userId: number; taskId: number }
/** What its job has of it. */
export type AskedMail = Wanted & { id: string }

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
async function countOfCompany(
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

/** The mail as it is to be sent now, its link alive; null: by now there is nothing to say to anybody. */
export async function mailNow(db: Handle, app: AppContext, asked: AskedMail): Promise<Mail | null> {
  const to = await addresseeOf(db, asked)
  if (!to || !serves[asked.mail].includes(to.status)) return null
  if (isOfMatter(asked)) return mailOfMatter(db, app, asked, to)
  if (asked.mail === 'reset' && to.status === userStatus.deactivated) {
    // Anybody may ask for it, and it goes to whom the company named. It is counted apart from the invitations, so that strangers
    // cannot use these up (S-30), and nobody is told (S-32).
    if ((await countOfCompany(db, 'early resets', to, app.clock())) !== null) return null
  }
  const link = await linkFor(db, app, asked, to)
  if (link === null) return null
  const words = await auditWordsOf(db, app, asked, to)
  if (words === null) return null
  return { id: asked.id, to: { name: to.userName, address: to.email }, ...textOf(app, asked, to, { link, ...words }) }
}

/** Empty: the mail is not about the audit trail. Null: there is nothing to say any more. */
async function auditWordsOf(
  db: Handle,
  app: AppContext,
  asked: AccountMail,
  { companyId }: Credential,
): Promise<Partial<CheckpointWords & { customer: string }> | null> {
  if (asked.mail === 'audit-checkpoint') return checkpointWords(db, app, { companyId, size: asked.size })
  if (asked.mail !== 'audit-alarm') return {}
  // The log of calls that belong to no company has no name.
  const company = await companyById(db, asked.logCompanyId)
  return { customer: company ? `${company.name} (${company.code})` : String(asked.logCompanyId) }
}

/** About an order, a service or what its backups cost, and not about an account. */
type AskedOfMatter = Extract<
  AskedMail,
  { orderId: number } | { serviceId: number } | { backupId: number } | { trafficId: number } | { taskId: number }
>
type AccountMail = Exclude<AskedMail, AskedOfMatter>

const isOfMatter = (asked: AskedMail): asked is AskedOfMatter =>
  ['orderId', 'serviceId', 'backupId', 'trafficId', 'taskId'].some((name) => name in asked)

type MatterWords = Partial<OrderWords> & { path: string }

function matterOf(db: Handle, app: AppContext, asked: AskedOfMatter, language: Language): Promise<MatterWords | null> {
  if ('orderId' in asked) return wordsOf(db, app, asked, language)
  if ('taskId' in asked) return taskWordsOf(db, app, asked, language)
  if ('serviceId' in asked) return serviceWordsOf(db, app, asked, language)
  return paymentWordsOf(db, app, asked, language)
}

async function mailOfMatter(db: Handle, app: AppContext, asked: AskedOfMatter, to: Credential): Promise<Mail | null> {
  const { language, userName: name, companyName: company, companyCode: code, email } = to
  const said = await matterOf(db, app, asked, language)
  if (said === null) return null
  const { path, template = asked.mail, ...words } = said
  const values = { name, company, code, email, link: `${app.config.publicUrl}${path}`, ...words }
  return { id: asked.id, to: { name, address: email }, ...compose(template, language, values) }
}

/** In which states of the account a mail makes sense. A forgotten password may be that of an account not yet activated. */
const serves: Record<MailKind, readonly UserStatus[]> = {
  activation: [userStatus.deactivated],
  reset: [userStatus.deactivated, userStatus.activated],
  'password-changed': [userStatus.deactivated, userStatus.activated],
  'factor-added': [userStatus.activated],
  'factor-removed': [userStatus.activated],
  'factor-reset': [userStatus.activated],
  'factor-guessed': [userStatus.activated],
  'recovery-used': [userStatus.activated],
  'recovery-renewed': [userStatus.activated],
  'new-device': [userStatus.activated],
  'session-copied': [userStatus.activated],
  'order-due': [userStatus.activated],
  'order-expiry': [userStatus.activated],
  'order-expired': [userStatus.activated],
  'order-overdue': [userStatus.activated],
  'order-paid': [userStatus.activated],
  'change-due': [userStatus.activated],
  'change-overdue': [userStatus.activated],
  'audit-checkpoint': [userStatus.activated],
  'audit-alarm': [userStatus.activated],
  'service-stops': [userStatus.activated],
  'service-erased': [userStatus.activated],
  'backup-failed': [userStatus.activated],
  'backup-paid': [userStatus.activated],
  'backup-due': [userStatus.activated],
  'backup-overdue': [userStatus.activated],
  'backup-expiry': [userStatus.activated],
  'backup-expired': [userStatus.activated],
  'traffic-paid': [userStatus.activated],
  'traffic-due': [userStatus.activated],
  'traffic-overdue': [userStatus.activated],
  'payment-task': [userStatus.activated],
  'payment-refunded': [userStatus.activated],
}

const addresseeOf = (db: Handle, asked: AskedMail): Promise<Credential | null> =>
  asked.mail === 'reset'
    ? findCredential(db, asked.companyCode.toLowerCase(), foldText(asked.email))
    : credentialOf(db, asked.userId)

const ways = {
  activation: { purpose: 'activate', path: '/saas/sys/activate' },
  reset: { purpose: 'reset', path: '/saas/resetPwd' },
} as const

/** Mails that only tell: where to go if it was somebody else. */
const pages: Record<
  Exclude<
    MailKind,
    keyof typeof ways | OrderMail | ChangeMail | ServiceMail | BackupPaymentMail | TrafficMail | TaskMail
  >,
  string
> = {
  'password-changed': '/saas/forget',
  'factor-added': '/saas/app/profile/security',
  'factor-removed': '/saas/app/profile/security',
  'factor-reset': '/saas/app/profile/security',
  'factor-guessed': '/saas/forget',
  'recovery-used': '/saas/app/profile/security',
  'recovery-renewed': '/saas/app/profile/security',
  'new-device': '/saas/app/profile/sessions',
  'session-copied': '/saas/forget',
  'audit-checkpoint': '/saas/app/systrail',
  'audit-alarm': '/saas/app/systrail',
}

/** Null: a later mail has ended it, or it was used. */
async function linkFor(
  db: Handle,
  { config, clock }: AppContext,
  asked: AccountMail,
  to: Credential,
): Promise<string | null> {
  const { mail } = asked
  if (mail !== 'activation' && mail !== 'reset') return `${config.publicUrl}${pages[mail]}?lang=${to.language}`
  const { purpose, path } = ways[mail]
  const now = clock()
  const key = createHmac('sha256', config.tokenKey).update(`mailed link ${asked.id}`).digest('base64url')
  const { userId, companyId } = to
  const lives = await offerKey(db, { key, userId, companyId, purpose, until: now + linkLives[purpose] }, now)
  // In the mail's language, whatever the browser showed last (D68).
  return lives ? `${config.publicUrl}${path}?otk=${key}&lang=${to.language}` : null
}

function textOf(
  { config }: AppContext,
  asked: AccountMail,
  to: Credential,
  words: { link: string } & Partial<CheckpointWords & { customer: string }>,
): Composed {
  const { language, userName, companyName, companyCode, email } = to
  const values = { name: userName, company: companyName, code: companyCode, email, ...words }
  if (asked.mail !== 'new-device') return compose(asked.mail, language, values)
  const { at, browser, system, network } = asked.device
  const time = `${timestampIn(config.timeZone, at)} (${config.timeZone})`
  return compose(asked.mail, language, { ...values, time, network, device: deviceIn(language, { browser, system }) })
}
