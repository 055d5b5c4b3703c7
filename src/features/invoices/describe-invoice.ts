/** Texts of an invoice that the list, the drawer and the exported file share. */
import type { TFunction } from 'i18next'
import type { InvoiceRow } from '#contract/invoices.ts'
import { groupThousands, readAmount } from '#domain/money.ts'
import type { TagTone } from '#ui/display/Tag.tsx'

type Translate = TFunction<'invoices'>

/** Returns what was paid: "Extension", "Traffic 2026-08". */
export const describeItem = ({ type, month }: Pick<InvoiceRow, 'type' | 'month'>, t: Translate): string =>
  type === 'traffic' ? t('item.traffic', { month: month ?? '' }).trim() : t(`item.${type}`)

/** Returns what was paid for which service: "Extension: Trade (acmetrade)". */
export const describeSubject = (row: InvoiceRow, t: Translate): string =>
  t('subject', { item: describeItem(row, t), name: row.service_name, code: row.service_code })

const knownMethods = ['stripe', 'alipay', 'globalAlipay', 'transfer', 'credit', 'simulate'] as const

/** Returns the name of the payment method. One that this build does not know has its code. */
export function describeMethod({ method }: Pick<InvoiceRow, 'method'>, t: Translate): string {
  const knownMethod = knownMethods.find((name) => name === method)
  return knownMethod ? t(`method.${knownMethod}`) : method
}

/** Returns the amount with two decimals. That of a credit note is negative. */
export const getSignedAmount = ({ kind, amount }: Pick<InvoiceRow, 'kind' | 'amount'>): string =>
  kind === 'creditNote' ? `-${amount}` : amount

/** Returns "HKD 42,000.00", or "HKD −42,000.00" for a credit note, with the minus sign that is as wide as a digit. */
export const formatSignedAmount = ({ kind, currency, amount }: Pick<InvoiceRow, 'kind' | 'currency' | 'amount'>) =>
  `${currency} ${kind === 'creditNote' ? '−' : ''}${groupThousands(amount)}`

export const isRefunding = ({ refunding }: Pick<InvoiceRow, 'refunding'>): boolean => readAmount(refunding) > 0n

const stateTones: Record<InvoiceRow['state'] | 'refunding', TagTone> = {
  paid: 'positive',
  partlyRefunded: 'warning',
  refunded: 'neutral',
  refunding: 'warning',
  disputed: 'danger',
}

/** Returns the state with the tone of its tag. A refund in progress is shown in place of what was refunded before, but not of a dispute. */
export function describeState(
  row: Pick<InvoiceRow, 'state' | 'refunding'>,
  t: Translate,
): { text: string; tone: TagTone } {
  const state = isRefunding(row) && row.state !== 'disputed' ? 'refunding' : row.state
  return { text: t(`state.${state}`), tone: stateTones[state] }
}
