import { useState } from 'react'
import type { PriceList } from '#domain/fees/price-list.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { SentList } from '#features/prices/sent-list.ts'
import { formatPercentChange, formatUnpriced } from '#features/prices/rehearsal/change-words.ts'
import { type FeeInput, calculateAnnualFee, type ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { FeeExplanation } from '#features/prices/rehearsal/FeeExplanation.tsx'

interface Props {
  feeInput: FeeInput
  ownList: SentList
  otherList: PriceList | null
  otherDay: string | null
  namesByCode: ReadonlyMap<string, string>
  ShowFee: ShowFee
}

export function SampleFees({ feeInput, ownList, otherList, otherDay, namesByCode, ShowFee }: Props) {
  const { t } = useTranslation('prices')
  const [openSample, setOpenSample] = useState<'own' | 'other' | null>(null)
  const { currency, choice } = feeInput
  const fees = [
    { key: 'own' as const, list: ownList, label: t('whatIf.own') },
    ...(otherList ? [{ key: 'other' as const, list: otherList, label: t('whatIf.other', { day: otherDay }) }] : []),
  ].map((sample) => ({ ...sample, fee: calculateAnnualFee(sample.list, feeInput) }))
  const [firstAmount, secondAmount] = fees.map(({ fee }) => (fee.kind === 'priced' ? fee.amount : null))
  return (
    <div className="price-samples" role="group" aria-label={t('whatIf.fee')}>
      {fees.map(({ key, list, label, fee }) => (
        <div key={key} className="price-sample">
          <span className="price-sub">{label}</span>
          {fee.kind === 'priced' ? (
            <strong>
              <Amount currency={currency} amount={fee.amount} />
            </strong>
          ) : (
            <span>{formatUnpriced(t, fee, choice.users)}</span>
          )}
          <Button aria-expanded={openSample === key} onClick={() => setOpenSample(openSample === key ? null : key)}>
            {t('why.act')}
          </Button>
          {openSample === key && <FeeExplanation {...{ list, namesByCode, ShowFee, currency, choice }} />}
        </div>
      ))}
      {firstAmount && secondAmount && (
        <p className="price-sub">
          {t('whatIf.change', { change: formatPercentChange(secondAmount, firstAmount) || '–' })}
        </p>
      )}
    </div>
  )
}
