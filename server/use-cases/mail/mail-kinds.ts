/** Lists the kinds of mails and their data. Their texts are in `mail-words`. */
import type { PdbType } from '#contract/backups.ts'
import type { PlainDate } from '#domain/time.ts'

export type OrderMail = 'order-due' | 'order-expiry' | 'order-expired' | 'order-overdue' | 'order-paid'
/** Templates that replace those of an order's mail if the order changes or extends a contract. */
export type ChangeMail = 'change-due' | 'change-overdue'
export type BackupReminderMail = 'backup-due' | 'backup-overdue' | 'backup-expiry' | 'backup-expired'
export type BackupPaymentMail = 'backup-paid' | BackupReminderMail
export type TrafficMail = 'traffic-paid' | 'traffic-due' | 'traffic-overdue'
export type TaskMail = 'payment-task' | 'payment-refunded'
/** `gateway-refund` is for the staff, `refund-failed` for the member who requested the refund, or for the staff if nobody did. */
export type RefundMail = 'invoice-refunded' | 'gateway-refund' | 'refund-failed'

export type MoneyMailRequest =
  | { mail: RefundMail; refundId: number }
  | { mail: 'payment-dispute'; disputeId: number }
  /** `checkId`: the check of all money that found faults. */
  | { mail: 'money-fault'; checkId: number }
export type MoneyMail = MoneyMailRequest['mail']
/**
 * Templates: of `payment-dispute` for an inquiry and if the gateway names no time until which to respond, and of `invoice-refunded` if a lost
 * dispute caused the refund, or if it was added to the credit balance. Of `refund-failed` if a refund came back, with or without a credit note, and
 * of `gateway-refund` if no invoice has it.
 */
export type MoneyMailTemplate =
  | 'payment-dispute-undated'
  | 'payment-inquiry'
  | 'payment-inquiry-undated'
  | 'dispute-lost'
  | 'credit-added'
  | 'refund-returned'
  | 'refund-returned-uninvoiced'
  | 'refund-beyond'

/** A bank transfer became credit of the recipient's company. `transfer-paid`: it also paid something. */
export type TransferMail = 'transfer-credited' | 'transfer-paid'

export interface TransferMailRequest {
  mail: TransferMail
  transferId: number
  /** Credit balance after that, as a decimal. */
  balance: string
}

export type PaymentMailRequest =
  | { mail: BackupPaymentMail; backupId: number; days?: number }
  | { mail: TrafficMail; trafficId: number }

export type ServiceMailRequest =
  | { mail: 'service-stops' | 'service-erased'; serviceId: number; day: PlainDate }
  /** `since`: epoch ms of the failure. */
  | { mail: 'backup-failed'; serviceId: number; type: PdbType; since: number }
export type ServiceMail = ServiceMailRequest['mail']

export type FactorMail =
  | 'factor-added'
  | 'factor-removed'
  | 'factor-reset'
  | 'factor-guessed'
  | 'recovery-used'
  | 'recovery-renewed'
/** The device of a sign-in. `at` is in epoch ms. */
export interface NewDevice {
  browser: string | null
  system: string | null
  at: number
  network: string
}

/** A member of the provider's staff began to act for the recipient's company. `until`: end of the consent, in epoch ms. */
export interface ActingStart {
  useId: number
  staffName: string
  until: number
}

/** A mail to a user, or to an address that a caller typed (`reset`). The caller never learns whether a user has this address (S-32). */
export type MailRequest =
  | { mail: 'activation' | 'password-changed' | 'session-copied' | FactorMail; userId: number }
  | { mail: 'reset'; companyCode: string; email: string }
  | { mail: 'new-device'; userId: number; device: NewDevice }
  /** `acting-changes`: the consent allows changes. */
  | { mail: 'acting-started' | 'acting-changes'; userId: number; actingStart: ActingStart }
  /** `days`: which of the reminders of this kind it is (`ContractReminder`). Also for backups. */
  | { mail: OrderMail; userId: number; orderId: number; days?: number }
  | { mail: 'audit-checkpoint'; userId: number; size: number }
  | { mail: 'audit-alarm'; userId: number; logCompanyId: number }
  | ({ userId: number } & ServiceMailRequest)
  | (PaymentMailRequest & { userId: number })
  | { mail: TaskMail; userId: number; taskId: number }
  | (MoneyMailRequest & { userId: number })
  | (TransferMailRequest & { userId: number })
export type QueuedMail = MailRequest & { id: string }

export type MailKind = MailRequest['mail'] | ChangeMail | MoneyMailTemplate
