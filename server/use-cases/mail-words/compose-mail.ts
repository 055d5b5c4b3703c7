/**
 * A mail as it is sent. Its link is made here, out of the row's name and the installation's key, so that every attempt at one mail
 * carries the same link (S-35).
 */
import { createHmac } from 'node:crypto'
import { foldText } from '#domain/text.ts'
import { timestampIn } from '#domain/time.ts'
import { type Language, userStatus, type UserStatus } from '#domain/accounts/users.ts'
import { companyById } from '#server/db/accounts/companies.ts'
import { type Credential, credentialOf, findCredential } from '#server/db/accounts/credentials.ts'
import type { Handle } from '#server/db/handle.ts'
import { offerKey } from '#server/db/accounts/one-time-keys.ts'
import type { Mail } from '#server/drivers/mail/driver.ts'
import type { AppContext } from '#server/context/context.ts'
import type {
  AskedMail,
  BackupPaymentMail,
  ChangeMail,
  MailKind,
  OrderMail,
  ServiceMail,
  TaskMail,
  TrafficMail,
} from '#server/use-cases/mail/mail-kinds.ts'
import { countOfCompany, linkLives } from '#server/use-cases/mail/request-mail.ts'
import { checkpointWords, type CheckpointWords } from '#server/use-cases/mail-words/checkpoint-words.ts'
import { compose, type Composed, deviceIn } from '#server/use-cases/mail-words/mail-templates.ts'
import { type OrderWords, wordsOf } from '#server/use-cases/mail-words/order-mails.ts'
import { paymentWordsOf } from '#server/use-cases/mail-words/payment-mails.ts'
import { serviceWordsOf } from '#server/use-cases/mail-words/service-mails.ts'
import { taskWordsOf } from '#server/use-cases/mail-words/task-mails.ts'

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
