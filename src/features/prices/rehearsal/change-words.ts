import type { TFunction } from 'i18next'
import { getPercentChange, type PriceListFeeResult } from '#features/prices/rehearsal/annual-fee.ts'
import { joinList } from '#ui/i18n/messages.ts'

/** Returns for example "+3.2 %", or an empty text if the current amount is 0. */
export function formatPercentChange(currentAmount: string, newAmount: string): string {
  const percent = getPercentChange(currentAmount, newAmount)
  if (percent === null) return ''
  const text = Math.abs(percent).toFixed(1)
  return `${text === '0.0' ? '' : percent > 0 ? '+' : '−'}${text} %`
}

export const formatUnpriced = (
  t: TFunction<'prices'>,
  result: Exclude<PriceListFeeResult, { kind: 'priced' }>,
  users: number,
): string =>
  result.kind === 'USERS_OUT_OF_RANGE'
    ? t('rehearsal.users', { users })
    : t('rehearsal.missing', { codes: joinList(result.modules) })
