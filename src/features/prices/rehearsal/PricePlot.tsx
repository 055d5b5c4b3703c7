import { memo } from 'react'
import type { Choice, UatBound } from '#domain/fees/annual.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import type { Currency } from '#domain/money.ts'
import { useTranslation } from 'react-i18next'
import { FeePlot } from '#features/prices/rehearsal/FeePlot.tsx'
import { edgesOf, feesAt } from '#features/prices/rehearsal/fee-of.ts'

interface Props {
  list: PriceList
  /** What it is compared with, and the day on which that begins. */
  other: PriceList | null
  otherDay: string | null
  currency: Currency
  uatBound: UatBound
  mode: Choice['user_mode']
  wanted: readonly string[]
  withUat: boolean
}

/** The fee of any number of users by both lists. Drawn anew for all that is chosen but the users. */
export const PricePlot = memo(function PricePlot(props: Props) {
  const { t } = useTranslation('prices')
  const { list, other, otherDay, currency, uatBound, mode, wanted, withUat } = props
  const asked = {
    currency,
    uatBound,
    choice: { user_mode: mode, modules: wanted, users: 1, uat: withUat ? 1 : 0 },
  } as const
  const edges = edgesOf(other ? [list, other] : [list], mode)
  const lines = [
    { label: t('whatIf.own'), fees: feesAt(list, asked, edges) },
    ...(other && otherDay ? [{ label: t('whatIf.other', { day: otherDay }), fees: feesAt(other, asked, edges) }] : []),
  ]
  return <FeePlot {...{ currency, edges, lines }} />
})
