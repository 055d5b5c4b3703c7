import { memo } from 'react'
import type { ContractTerms, UatBound } from '#domain/fees/annual.ts'
import type { PriceList } from '#domain/fees/price-list.ts'
import type { Currency } from '#domain/money.ts'
import { useTranslation } from 'react-i18next'
import { FeePlot } from '#features/prices/rehearsal/FeePlot.tsx'
import { getPlotEdges, calculateFeesAt } from '#features/prices/rehearsal/annual-fee.ts'

interface Props {
  list: PriceList
  otherList: PriceList | null
  otherDay: string | null
  currency: Currency
  uatBound: UatBound
  mode: ContractTerms['user_mode']
  moduleCodes: readonly string[]
  hasUat: boolean
}

/** Plots the fees of both lists by the number of users. It is not rendered again when the users of the sample order change. */
export const PricePlot = memo(function PricePlot(props: Props) {
  const { t } = useTranslation('prices')
  const { list, otherList, otherDay, currency, uatBound, mode, moduleCodes, hasUat } = props
  const feeInput = {
    currency,
    uatBound,
    choice: { user_mode: mode, modules: moduleCodes, users: 1, uat: hasUat ? 1 : 0 },
  } as const
  const edges = getPlotEdges(otherList ? [list, otherList] : [list], mode)
  const lines = [
    { label: t('whatIf.own'), fees: calculateFeesAt(list, feeInput, edges) },
    ...(otherList && otherDay
      ? [{ label: t('whatIf.other', { day: otherDay }), fees: calculateFeesAt(otherList, feeInput, edges) }]
      : []),
  ]
  return <FeePlot {...{ currency, edges, lines }} />
})
