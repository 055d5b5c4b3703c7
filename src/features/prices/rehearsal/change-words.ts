/** How fees and their changes are written: a change with its sign, so that no colour is needed to see its direction. */
import type { TFunction } from 'i18next'
import { getPercentChange, type PriceListFeeResult } from '#features/prices/rehearsal/annual-fee.ts'

/** "+3.2 %"; empty: it began at nothing. */
export function formatPercentChange(currentAmount: string, newAmount: string): string {
  const percent = getPercentChange(currentAmount, newAmount)
  if (percent === null) return ''
  const text = Math.abs(percent).toFixed(1)
  return `${text === '0.0' ? '' : percent > 0 ? '+' : '−'}${text} %`
}

/** Why a list has no fee for so many users with these modules. */
export const formatUnpriced = (
  t: TFunction<'prices'>,
  result: Exclude<PriceListFeeResult, { kind: 'priced' }>,
  users: number,
): string =>
  result.kind === 'USERS_OUT_OF_RANGE'
    ? t('rehearsal.users', { users })
    : t('rehearsal.missing', { codes: result.modules.join(', ') })
