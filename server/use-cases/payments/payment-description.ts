import { PROVIDER } from '#domain/access.ts'
import { getTrafficMonth } from '#domain/fees/traffic.ts'
import type { Language } from '#domain/accounts/users.ts'
import en from '#locales/en/payment.json' with { type: 'json' }
import zh from '#locales/zh/payment.json' with { type: 'json' }
import { findCompanyOfUser } from '#server/db/accounts/companies.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { AttemptRecord } from '#server/db/payments/payment-attempts.ts'
import { listItems } from '#server/db/payments/payment-groups.ts'
import {
  type PayableItemRef,
  type PayableRef,
  lockPayableBackup,
  lockPayableOrder,
  lockPayableTraffic,
  toPayableRef,
} from '#server/db/payments/payables.ts'
import { findListedOrderId } from '#server/db/hosting/services.ts'

const messages = { en, zh }

/** Names of the kinds of items in the API (D66), and of groups at gateways. */
const contractTypes = { order: 'CONTRACT', backup: 'PDBORDER', traffic: 'TRAFFIC', group: 'GROUP' } as const

export const kindsByContractType = { CONTRACT: 'order', PDBORDER: 'backup', TRAFFIC: 'traffic' } as const

/** Returns a name that is unique over all payables. Gateways store it with the payment. */
export const formatPayableName = ({ kind, id }: PayableRef): string => `${contractTypes[kind]}-${id}`

/**
 * Returns the text of a payment at the gateway. It names no person, and is the same at each call, because the gateway's idempotency key
 * requires that.
 */
export async function buildDescription(
  db: DatabaseHandle,
  payableRef: PayableRef,
  language: Language,
): Promise<string> {
  const values: Record<string, string> =
    payableRef.kind === 'group'
      ? { items: String((await listItems(db, payableRef)).length) }
      : await readSubject(db, payableRef)
  return Object.entries({ ...values, id: String(payableRef.id) }).reduce(
    (text, [name, value]) => text.replace(`{{${name}}}`, value),
    messages[language][messageKeys[payableRef.kind]],
  )
}

const messageKeys = {
  order: 'description',
  backup: 'backupDescription',
  traffic: 'trafficDescription',
  group: 'groupDescription',
} as const

async function readSubject(db: DatabaseHandle, { kind, id }: PayableItemRef): Promise<{ code: string; month: string }> {
  if (kind === 'order') return { code: (await lockPayableOrder(db, id))?.code ?? '', month: '' }
  if (kind === 'backup') return { code: (await lockPayableBackup(db, id))?.service_code ?? '', month: '' }
  const traffic = await lockPayableTraffic(db, id)
  return { code: traffic?.service_code ?? '', month: traffic ? getTrafficMonth(traffic.period_end) : '' }
}

/** Returns the address to which a payer returns. Only the gateway and the payer's browser know its key. */
export const getReturnPath = (key: string) => `/public/payment/return/${key}`

export type PaymentReturnOutcome = 'cancelled' | 'paid' | 'declined' | 'checking'

const unpaidOutcomes = new Set<PaymentReturnOutcome>(['cancelled', 'declined'])

/**
 * Returns a function that builds the address of the page of what the attempt pays. Backups and traffic are on a tab of their
 * service's contract, where `paid` selects them. Several items are named in the address of the list of what is to be paid.
 */
export async function findPaymentPage(
  db: DatabaseHandle,
  attempt: AttemptRecord,
): Promise<(outcome: PaymentReturnOutcome) => string> {
  const payableRef = toPayableRef(attempt)
  if (payableRef.kind === 'group') {
    const names = (await listItems(db, payableRef)).map(formatPayableName)
    const company = (await isPaidByStaff(db, attempt)) ? `&company=${attempt.company_id}` : ''
    return (outcome) => `/saas/app/contract?status=0${company}&pay=${names.join(',')}&payment=${outcome}`
  }
  const { kind, id } = payableRef
  if (kind === 'order') {
    const order = await lockPayableOrder(db, id)
    // An unpaid change is shown on the page of its contract (D35).
    const displayedOrderId =
      order && order.type !== 'create'
        ? await findListedOrderId(db, { companyId: order.company_id, code: order.code })
        : null
    return (outcome) =>
      `/saas/app/contract/${unpaidOutcomes.has(outcome) ? (displayedOrderId ?? id) : id}?payment=${outcome}`
  }
  const row = await (kind === 'backup' ? lockPayableBackup(db, id) : lockPayableTraffic(db, id))
  const orderId = row && (await findListedOrderId(db, { companyId: row.company_id, code: row.service_code }))
  const page = orderId ? `/saas/app/contract/${orderId}` : '/saas/app/contract'
  return (outcome) => `${page}?tab=subscribe&paid=${formatPayableName({ kind, id })}&payment=${outcome}`
}

/** Without a company in the address, the provider's staff see the list of all companies, which shows no result of a payment. */
async function isPaidByStaff(db: DatabaseHandle, { user_id }: AttemptRecord): Promise<boolean> {
  const company = user_id === null ? null : await findCompanyOfUser(db, user_id)
  return company?.code === PROVIDER
}
