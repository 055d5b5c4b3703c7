/**
 * Builds mails. The link in a mail is derived from the id of the mail's row and the installation's key, so every try of the mail has the
 * same link (S-35).
 */
import { createHmac } from 'node:crypto'
import { normaliseText } from '#domain/text.ts'
import { toTimestamp } from '#domain/time.ts'
import { type Language, userStatus, type UserStatus } from '#domain/accounts/users.ts'
import { findCompanyById } from '#server/db/accounts/companies.ts'
import { type UserCredential, findCredentialByUserId, findCredential } from '#server/db/accounts/credentials.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { issueKey } from '#server/db/accounts/one-time-keys.ts'
import type { PayableItemRef } from '#server/db/payments/payables.ts'
import { findRefund } from '#server/db/payments/refunds.ts'
import type { MailMessage } from '#server/drivers/mail/mail-driver.ts'
import type { IssuedDocument } from '#server/drivers/pdf/issued-document.ts'
import type { AppContext } from '#server/context/context.ts'
import { readCreditNote, readInvoiceOfItem } from '#server/use-cases/documents/read-document.ts'
import type {
  QueuedMail,
  BackupPaymentMail,
  ChangeMail,
  MoneyMailTemplate,
  MailKind,
  MoneyMail,
  OrderMail,
  ServiceMail,
  TaskMail,
  TrafficMail,
  TransferMail,
} from '#server/use-cases/mail/mail-kinds.ts'
import { countCompanyMail, linkLifetimesMs } from '#server/use-cases/mail/request-mail.ts'
import { readCheckpointMailValues, type CheckpointMailValues } from '#server/use-cases/mail-words/checkpoint-mails.ts'
import {
  type AttachedKind,
  type ComposedMail,
  formatMailDevice,
  type MailValues,
  renderMailTemplate,
} from '#server/use-cases/mail-words/mail-templates.ts'
import { type OrderMailValues, readOrderMailValues } from '#server/use-cases/mail-words/order-mails.ts'
import { readPaymentMailValues } from '#server/use-cases/mail-words/payment-mails.ts'
import { readMoneyMailValues } from '#server/use-cases/mail-words/refund-mails.ts'
import { readServiceMailValues } from '#server/use-cases/mail-words/service-mails.ts'
import { readTaskMailValues } from '#server/use-cases/mail-words/task-mails.ts'
import { readTransferMailValues } from '#server/use-cases/mail-words/transfer-mails.ts'

/** A mail, and the document whose PDF is to be attached. `content` then replaces the texts of the message: it mentions the file. */
export interface MailToSend {
  message: MailMessage
  attachable: { document: IssuedDocument; content: ComposedMail } | null
}

/** Returns null if there is no longer a reason to send the mail. */
export async function composeMail(
  db: DatabaseHandle,
  app: AppContext,
  queuedMail: QueuedMail,
): Promise<MailToSend | null> {
  const recipient = await findRecipient(db, queuedMail)
  if (!recipient || !(validStatuses[queuedMail.mail] ?? [userStatus.activated]).includes(recipient.status)) return null
  if (isRecordMail(queuedMail)) return composeRecordMail(db, app, queuedMail, recipient)
  if (queuedMail.mail === 'reset' && recipient.status === userStatus.deactivated) {
    // Anyone can request this mail. It is counted separately from invitations, so that outsiders cannot use up the limit of invitations
    // (S-30). The requester is not notified of a refusal (S-32).
    if ((await countCompanyMail(db, 'early resets', recipient, app.clock())) !== null) return null
  }
  const link = await createLink(db, app, queuedMail, recipient)
  if (link === null) return null
  const trailMailValues = await readTrailMailValues(db, app, queuedMail, recipient)
  if (trailMailValues === null) return null
  const message = {
    id: queuedMail.id,
    to: { name: recipient.userName, address: recipient.email },
    ...composeAccountMail(app, queuedMail, recipient, { link, ...trailMailValues }),
  }
  return { message, attachable: null }
}

async function readTrailMailValues(
  db: DatabaseHandle,
  app: AppContext,
  queuedMail: AccountMail,
  { companyId }: UserCredential,
): Promise<Partial<CheckpointMailValues & { customer: string }> | null> {
  if (queuedMail.mail === 'audit-checkpoint')
    return readCheckpointMailValues(db, app, { companyId, size: queuedMail.size })
  if (queuedMail.mail !== 'audit-alarm') return {}
  // The log of calls without a company has no company name.
  const company = await findCompanyById(db, queuedMail.logCompanyId)
  return { customer: company ? `${company.name} (${company.code})` : String(queuedMail.logCompanyId) }
}

type RecordMail = Extract<
  QueuedMail,
  | { orderId: number }
  | { serviceId: number }
  | { backupId: number }
  | { trafficId: number }
  | { taskId: number }
  | { refundId: number }
  | { disputeId: number }
  | { checkId: number }
  | { transferId: number }
>
type AccountMail = Exclude<QueuedMail, RecordMail>

const recordIdNames = [
  'orderId',
  'serviceId',
  'backupId',
  'trafficId',
  'taskId',
  'refundId',
  'disputeId',
  'checkId',
  'transferId',
] as const

const isRecordMail = (queuedMail: QueuedMail): queuedMail is RecordMail =>
  recordIdNames.some((name) => name in queuedMail)

type RecordMailValues = Omit<Partial<OrderMailValues>, 'template'> & { path: string; template?: MailKind }

function readRecordMailValues(
  db: DatabaseHandle,
  app: AppContext,
  queuedMail: RecordMail,
  language: Language,
): Promise<RecordMailValues | null> {
  if ('orderId' in queuedMail) return readOrderMailValues(db, app, queuedMail, language)
  if ('taskId' in queuedMail) return readTaskMailValues(db, app, queuedMail, language)
  if ('refundId' in queuedMail || 'disputeId' in queuedMail || 'checkId' in queuedMail)
    return readMoneyMailValues(db, app, queuedMail, language)
  if ('transferId' in queuedMail) return readTransferMailValues(db, queuedMail, language)
  if ('serviceId' in queuedMail) return readServiceMailValues(db, app, queuedMail, language)
  return readPaymentMailValues(db, app, queuedMail, language)
}

async function composeRecordMail(
  db: DatabaseHandle,
  app: AppContext,
  queuedMail: RecordMail,
  recipient: UserCredential,
): Promise<MailToSend | null> {
  const { language, userName: name, companyName: company, companyCode: code, email } = recipient
  const recordMailValues = await readRecordMailValues(db, app, queuedMail, language)
  if (recordMailValues === null) return null
  const { path, template = queuedMail.mail, ...recordValues } = recordMailValues
  const values = { name, company, code, email, link: `${app.config.publicUrl}${path}`, ...recordValues }
  const render = (extraValues: Partial<MailValues> = {}) =>
    renderMailTemplate(template, language, { ...values, ...extraValues })
  const attached = await readAttachedDocument(db, queuedMail, { app, language })
  return {
    message: { id: queuedMail.id, to: { name, address: email }, ...render() },
    attachable: attached && { document: attached.document, content: render({ attached: attached.kind }) },
  }
}

/** Returns the invoice of a receipt or the credit note of a refund, and null for other mails. */
async function readAttachedDocument(
  db: DatabaseHandle,
  queuedMail: RecordMail,
  options: { app: AppContext; language: Language },
): Promise<{ kind: AttachedKind; document: IssuedDocument } | null> {
  if (queuedMail.mail === 'invoice-refunded') {
    const code = (await findRefund(db, queuedMail.refundId))?.credit_note_code ?? null
    const creditNote = code === null ? null : await readCreditNote(db, code, options.language)
    return creditNote && { kind: 'creditNote', document: creditNote }
  }
  const paidItem = findPaidItem(queuedMail)
  const invoice = paidItem && (await readInvoiceOfItem(db, paidItem, options))
  return invoice && { kind: 'invoice', document: invoice }
}

/** Returns what a receipt is for, and null for other mails. */
function findPaidItem(queuedMail: RecordMail): PayableItemRef | null {
  if (queuedMail.mail === 'order-paid') return { kind: 'order', id: queuedMail.orderId }
  if (queuedMail.mail === 'backup-paid') return { kind: 'backup', id: queuedMail.backupId }
  return queuedMail.mail === 'traffic-paid' ? { kind: 'traffic', id: queuedMail.trafficId } : null
}

/** Account states in which a mail is sent. The default is `activated` only. */
const validStatuses: Partial<Record<MailKind, readonly UserStatus[]>> = {
  activation: [userStatus.deactivated],
  // The user of an account that is not activated may have forgotten the password too.
  reset: [userStatus.deactivated, userStatus.activated],
  'password-changed': [userStatus.deactivated, userStatus.activated],
}

const findRecipient = (db: DatabaseHandle, queuedMail: QueuedMail): Promise<UserCredential | null> =>
  queuedMail.mail === 'reset'
    ? findCredential(db, queuedMail.companyCode.toLowerCase(), normaliseText(queuedMail.email))
    : findCredentialByUserId(db, queuedMail.userId)

const linkTargets = {
  activation: { purpose: 'activate', path: '/saas/sys/activate' },
  reset: { purpose: 'reset', path: '/saas/resetPwd' },
} as const

/** Pages to which mails link that only inform: the user opens the page if somebody else took the action. */
const pagePaths: Record<
  Exclude<
    MailKind,
    | keyof typeof linkTargets
    | OrderMail
    | ChangeMail
    | ServiceMail
    | BackupPaymentMail
    | TrafficMail
    | TaskMail
    | MoneyMail
    | TransferMail
    | MoneyMailTemplate
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
  'acting-started': '/saas/app/profile/company',
  'acting-changes': '/saas/app/profile/company',
  'audit-checkpoint': '/saas/app/systrail',
  'audit-alarm': '/saas/app/systrail',
}

/** Returns null if a later mail replaced the link, or the link was used. */
async function createLink(
  db: DatabaseHandle,
  { config, clock }: AppContext,
  queuedMail: AccountMail,
  recipient: UserCredential,
): Promise<string | null> {
  const { mail } = queuedMail
  if (mail !== 'activation' && mail !== 'reset')
    return `${config.publicUrl}${pagePaths[mail]}?lang=${recipient.language}`
  const { purpose, path } = linkTargets[mail]
  const now = clock()
  const key = createHmac('sha256', config.tokenKey).update(`mailed link ${queuedMail.id}`).digest('base64url')
  const { userId, companyId } = recipient
  const isActive = await issueKey(db, { key, userId, companyId, purpose, until: now + linkLifetimesMs[purpose] }, now)
  // The page opens in the mail's language, even if the browser used another one last (D68).
  return isActive ? `${config.publicUrl}${path}?otk=${key}&lang=${recipient.language}` : null
}

function composeAccountMail(
  { config }: AppContext,
  queuedMail: AccountMail,
  recipient: UserCredential,
  mailValues: { link: string } & Partial<CheckpointMailValues & { customer: string }>,
): ComposedMail {
  const { language, userName, companyName, companyCode, email } = recipient
  const values = { name: userName, company: companyName, code: companyCode, email, ...mailValues }
  if ('actingStart' in queuedMail) {
    const { staffName, until } = queuedMail.actingStart
    const actingValues = { staff: staffName, time: `${toTimestamp(config.timeZone, until)} (${config.timeZone})` }
    return renderMailTemplate(queuedMail.mail, language, { ...values, ...actingValues })
  }
  if (queuedMail.mail !== 'new-device') return renderMailTemplate(queuedMail.mail, language, values)
  const { at, browser, system, network } = queuedMail.device
  const time = `${toTimestamp(config.timeZone, at)} (${config.timeZone})`
  return renderMailTemplate(queuedMail.mail, language, {
    ...values,
    time,
    network,
    device: formatMailDevice(language, { browser, system }),
  })
}
