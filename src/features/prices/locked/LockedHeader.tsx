import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { useSettings } from '#patterns/useSettings.ts'
import { pickCurrencies } from '#features/prices/locked/pick-currencies.ts'
import { PriceFigures } from '#features/prices/locked/PriceFigures.tsx'
import type { PriceListValues } from '#features/prices/price-list-form.ts'

/** Header of a confirmed or withdrawn list. It cannot be changed any more (D81), so it has no fields. */
export const LockedHeader = memo(function LockedHeader({ header }: Pick<PriceListValues, 'header'>) {
  const { t } = useTranslation('prices')
  const uatContext = useSettings()?.uat_bound === 'ceiling' ? { context: 'ceiling' } : {}
  return (
    <>
      <DescriptionList>
        {(['effective_date', 'min_concurrent_user', 'min_named_user'] as const).map((name) => (
          <DescriptionItem key={name} label={t(`field.${name}`)}>
            {formatPriceFieldValue(name, header[name])}
          </DescriptionItem>
        ))}
        <DescriptionItem label={t('locked.uatCharge')}>
          {formatPriceFieldValue('uat_charge', header.uat_charge)}
        </DescriptionItem>
      </DescriptionList>
      <PriceFigures
        name={t('section.header')}
        header={t('locked.amount')}
        rows={(['min_fee', 'uat_cap'] as const).map((name) => ({
          key: name,
          label: t(`field.${name}`, uatContext),
          prices: pickCurrencies(header, name),
        }))}
      />
    </>
  )
})
