import type { ContractTerms } from '#domain/fees/annual.ts'
import type { Currency } from '#domain/money.ts'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import type { PriceList } from '#domain/fees/price-list.ts'
import { formatUnpriced } from '#features/prices/rehearsal/change-words.ts'
import { calculateAnnualFee, type ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { useSettings } from '#patterns/useSettings.ts'

interface Props {
  list: PriceList
  currency: Currency
  choice: ContractTerms
  namesByCode: ReadonlyMap<string, string>
  ShowFee: ShowFee
}

export function FeeExplanation({ list, currency, choice, namesByCode, ShowFee }: Props) {
  const { t } = useTranslation('prices')
  const settings = useSettings()
  if (!settings) return <Skeleton lines={3} />
  const fee = calculateAnnualFee(list, { currency, choice, uatBound: settings.uat_bound })
  if (fee.kind === 'priced') return <ShowFee {...{ currency, namesByCode }} steps={fee.steps} />
  return <p>{formatUnpriced(t, fee, choice.users)}</p>
}
