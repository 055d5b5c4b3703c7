/** Finds the notification that belongs to a mail: the same event, and the same recipient. */
import { eventByKind, isChannelOn, type NotificationEvent, type NotificationKind } from '#domain/notifications.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findServiceWithOrder } from '#server/db/hosting/services.ts'
import { readChoices } from '#server/db/notifications/notifications.ts'
import { findDispute } from '#server/db/payments/disputes.ts'
import { findPaymentTask } from '#server/db/payments/payment-tasks.ts'
import { findRefund } from '#server/db/payments/refunds.ts'
import type { ActingStart, MailRequest } from '#server/use-cases/mail/mail-kinds.ts'
import { notifyUsers } from '#server/use-cases/notifications/notify.ts'
import {
  type NotificationDetails,
  readBackupDetails,
  readOrderDetails,
  readTrafficDetails,
} from '#server/use-cases/notifications/payable-details.ts'

/** Mails about events of the inbox. All other mails are required: receipts, links, security of the account, the audit trail. */
const kindByMail: Partial<Record<MailRequest['mail'], NotificationKind>> = {
  'order-due': 'payment-due',
  'order-overdue': 'payment-late',
  'order-expiry': 'contract-ends',
  'order-expired': 'contract-ended',
  'backup-due': 'payment-due',
  'backup-overdue': 'payment-late',
  'backup-expiry': 'contract-ends',
  'backup-expired': 'contract-ended',
  'traffic-due': 'payment-due',
  'traffic-overdue': 'payment-late',
  'service-stops': 'service-stops',
  'service-erased': 'service-erased',
  'backup-failed': 'backup-failed',
  'new-device': 'new-device',
  'acting-started': 'acting-started',
  'acting-changes': 'acting-started',
  'payment-task': 'payment-task',
  'payment-refunded': 'payment-refunded',
  'invoice-refunded': 'payment-refunded',
  'gateway-refund': 'gateway-refund',
  'refund-failed': 'refund-failed',
  'payment-dispute': 'payment-dispute',
  'money-fault': 'money-fault',
}

/**
 * Creates the notification of a mail, and returns whether the recipient wants the mail too. Runs in the transaction that requests the mail,
 * as the system role if the mail is about an order, a service or a payment.
 */
export async function notifyOfMail(db: DatabaseHandle, request: MailRequest, now: number): Promise<boolean> {
  const kind = kindByMail[request.mail]
  if (kind === undefined || !('userId' in request)) return true
  const details = await readDetails(db, request)
  if (details) await notifyUsers(db, [request.userId], { kind, ...details }, now)
  const event: NotificationEvent = eventByKind[kind]
  return isChannelOn(await readChoices(db, request.userId), event, 'mail')
}

async function readDetails(db: DatabaseHandle, request: MailRequest): Promise<NotificationDetails | null> {
  if ('orderId' in request) return readOrderDetails(db, request)
  if ('backupId' in request) return readBackupDetails(db, request)
  if ('trafficId' in request) return readTrafficDetails(db, request)
  if ('serviceId' in request) return readServiceDetails(db, request)
  if ('taskId' in request) return readTaskDetails(db, request)
  if ('refundId' in request) return readRefundDetails(db, request)
  if ('disputeId' in request) return readDisputeDetails(db, request.disputeId)
  if ('checkId' in request) return { eventKey: `money-fault ${request.checkId}`, orderId: null, facts: {} }
  if ('actingStart' in request) return buildActingDetails(request)
  if (request.mail !== 'new-device') return null
  const { at, browser, system, network } = request.device
  const names = { ...(browser === null ? {} : { browser }), ...(system === null ? {} : { system }) }
  return { eventKey: `new-device ${at}`, orderId: null, facts: { ...names, network } }
}

const buildActingDetails = ({
  mail,
  actingStart: { useId, staffName, until },
}: Extract<MailRequest, { actingStart: ActingStart }>): NotificationDetails => ({
  eventKey: `acting-started ${useId}`,
  orderId: null,
  facts: { staff: staffName, scope: mail === 'acting-changes' ? 'changes' : 'read', until: String(until) },
})

async function readServiceDetails(
  db: DatabaseHandle,
  request: Extract<MailRequest, { serviceId: number }>,
): Promise<NotificationDetails | null> {
  const { mail, serviceId } = request
  const row = await findServiceWithOrder(db, serviceId)
  if (!row) return null
  const about = request.mail === 'backup-failed' ? { type: request.type } : { day: request.day }
  const version = request.mail === 'backup-failed' ? `${request.type} ${request.since}` : request.day
  return { eventKey: `${mail} ${serviceId} ${version}`, orderId: row.order_id, facts: { code: row.code, ...about } }
}

async function readTaskDetails(
  db: DatabaseHandle,
  { mail, taskId }: { mail: string; taskId: number },
): Promise<NotificationDetails | null> {
  const task = await findPaymentTask(db, taskId)
  if (!task) return null
  const { code, currency, amount, company_name: company } = task
  return { eventKey: `${mail} ${taskId}`, orderId: null, facts: { code, currency, amount, company } }
}

async function readRefundDetails(
  db: DatabaseHandle,
  { mail, refundId }: { mail: string; refundId: number },
): Promise<NotificationDetails | null> {
  const refund = await findRefund(db, refundId)
  if (!refund) return null
  const { code, currency, amount, company_name: company, order_id: orderId } = refund
  const hasReturned = refund.problem !== null && (refund.state === 'done' || refund.cause !== 'staff')
  const facts = { code, currency, amount, company, ...(hasReturned ? { type: 'returned' } : {}) }
  return { eventKey: `${mail} ${refundId}`, orderId, facts }
}

async function readDisputeDetails(db: DatabaseHandle, disputeId: number): Promise<NotificationDetails | null> {
  const dispute = await findDispute(db, disputeId)
  if (!dispute) return null
  const { code, currency, amount, company_name: company, is_inquiry: isInquiry } = dispute
  const facts = { code, currency, amount, company }
  // An inquiry that becomes a dispute is another event.
  if (isInquiry)
    return { eventKey: `payment-inquiry ${disputeId}`, orderId: null, facts: { ...facts, type: 'inquiry' } }
  return { eventKey: `payment-dispute ${disputeId}`, orderId: null, facts }
}
