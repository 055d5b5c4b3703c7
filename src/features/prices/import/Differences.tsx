import type { OutputOf } from '#contract/endpoint.ts'
import type { PriceRow, uploadPriceList } from '#contract/prices.ts'
import { findPriceDifferences, type PriceDifference } from '#domain/catalogue/price-differences.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { formatPriceFieldLabel, formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { useTranslation } from 'react-i18next'
import type { PriceListState } from '#features/prices/price-list-state.ts'
import { useComparedList } from '#features/prices/useComparedList.ts'
import { useSettings } from '#patterns/useSettings.ts'

export type PriceFileContent = OutputOf<typeof uploadPriceList>

interface Props {
  fileContent: PriceFileContent
  lists: readonly PriceRow[]
  getListState: (row: PriceRow) => PriceListState
}

export function Differences({ fileContent, lists, getListState }: Props) {
  const { t } = useTranslation('prices')
  const { fullList, day, selectProps } = useComparedList({ lists, getListState, isRequired: true })
  if (selectProps.options.length === 0) return <p>{t('import.noneToCompare')}</p>
  return (
    <>
      <SelectField label={t('import.compare')} {...selectProps} />
      {fullList ? (
        <DifferencesTable differences={findPriceDifferences(fullList, fileContent.list)} day={day ?? ''} />
      ) : (
        <p>{t('import.notKept')}</p>
      )}
    </>
  )
}

function DifferencesTable({ differences, day }: { differences: readonly PriceDifference[]; day: string }) {
  const { t } = useTranslation('prices')
  const uatBound = useSettings()?.uat_bound ?? 'floor'
  const formatValue = (field: string, value: string | null) =>
    value === null ? '–' : formatPriceFieldValue(field, value)
  if (differences.length === 0) return <p>{t('import.same', { day })}</p>
  return (
    <div className="price-scroll tall">
      <table className="price-figures">
        <caption>{t('import.differences', { count: differences.length, day })}</caption>
        <thead>
          <tr>
            <th scope="col">{t('import.field')}</th>
            <th scope="col">{t('import.here', { day })}</th>
            <th scope="col">{t('import.there')}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ field, before, after }) => (
            <tr key={field}>
              <th scope="row">{formatPriceFieldLabel(field, uatBound)}</th>
              <td>{formatValue(field, before)}</td>
              <td>{formatValue(field, after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
