/** The prices of a confirmed or withdrawn list, as tables. They cannot be changed any more (D81), so they are no fields. */
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { groupDigits } from '#domain/money.ts'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useSettings } from '#patterns/useSettings.ts'
import { FaultNote } from '#features/prices/editor/row-parts.tsx'
import { PriceFigures } from '#features/prices/locked/PriceFigures.tsx'
import {
  type CurrencyTexts,
  fillNames,
  getRangeStarts,
  priceCurrencies,
  type PriceListValues,
  type RangeRow,
  type TierTableName,
} from '#features/prices/price-list-form.ts'

/** Collects the prices of fields such as `min_fee_hkd`. */
const pickCurrencies = (
  values: PriceListValues['header'] | NonNullable<PriceListValues['pdbPrice']>,
  name: string,
): CurrencyTexts =>
  fillNames(priceCurrencies, (currency) => (values as Record<string, string>)[`${name}_${currency}`] ?? '')

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

export const LockedTiers = memo(function LockedTiers({
  name,
  rows,
}: {
  name: TierTableName
  rows: readonly RangeRow[]
}) {
  const { t } = useTranslation('prices')
  const starts = getRangeStarts(rows)
  if (rows.length === 0) return <p className="price-sub">{t('locked.noRanges')}</p>
  return (
    <PriceFigures
      name={t(`section.${name}`)}
      header={t('locked.users')}
      rows={rows.map((row, index) => ({
        key: row.key,
        label: formatRange(starts[index] ?? 0, row.to),
        prices: row,
      }))}
    />
  )
})

const formatRange = (from: number, to: string) =>
  String(from) === to ? groupDigits(to) : `${formatNumber(from)}–${groupDigits(to)}`

interface LockedModulesProps {
  rows: PriceListValues['module']
  namesByCode: ReadonlyMap<string, string>
  /** Reasons why the list could not be confirmed today, by row key. */
  notesByKey: ReadonlyMap<number, string>
}

export const LockedModules = memo(function LockedModules({ rows, namesByCode, notesByKey }: LockedModulesProps) {
  const { t } = useTranslation('prices')
  if (rows.length === 0) return <p className="price-sub">{t('locked.noModules')}</p>
  return (
    <PriceFigures
      name={t('section.module')}
      header={t('module.code')}
      rows={rows.map((row) => ({
        key: row.key,
        label: <ModuleLabel code={row.code} name={namesByCode.get(row.code)} note={notesByKey.get(row.key) ?? ''} />,
        prices: row,
      }))}
    />
  )
})

/** A module that was deleted from the catalogue has only its code. */
function ModuleLabel({ code, name, note }: { code: string; name: string | undefined; note: string }) {
  return (
    <>
      {name ?? code}
      {name !== undefined && <span className="price-locked-code">{code}</span>}
      <FaultNote>{note}</FaultNote>
    </>
  )
}

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
