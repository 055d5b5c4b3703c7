import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { pickCurrencies } from '#features/prices/locked/pick-currencies.ts'
import { PriceFigures } from '#features/prices/locked/PriceFigures.tsx'
import type { PriceListValues } from '#features/prices/price-list-form.ts'

export const LockedBackups = memo(function LockedBackups({ prices }: { prices: PriceListValues['pdbPrice'] }) {
  const { t } = useTranslation('prices')
  if (!prices) return <p className="price-sub">{t('locked.noBackups')}</p>
  return (
    <>
      <PriceFigures
        name={t('section.pdbPrice')}
        header={t('locked.amount')}
        rows={(['pdb2s3_fee', 'pdb2s3_up', 'pdb2rds_fee'] as const).map((name) => ({
          key: name,
          label: t(`field.${name}`),
          prices: pickCurrencies(prices, name),
        }))}
      />
      <DescriptionList>
        {(['pdb2s3_traffic', 'pdb2s3_discount', 'pdb2rds_discount'] as const).map((name) => (
          <DescriptionItem key={name} label={t(`locked.${name}`)}>
            {formatPriceFieldValue(name, prices[name])}
          </DescriptionItem>
        ))}
      </DescriptionList>
    </>
  )
})
