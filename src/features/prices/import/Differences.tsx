import { useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { getPriceList, type PriceRow, type uploadPriceList } from '#contract/prices.ts'
import { findPriceDifferences } from '#domain/catalogue/price-differences.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { formatPriceFieldLabel, formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { useTranslation } from 'react-i18next'
import { useSettings } from '#features/prices/useSettings.ts'
import { pickTextKeys, type PriceListState } from '#features/prices/price-list-state.ts'

/** What is in a file, as the server has read it. */
export type PriceFileContent = OutputOf<typeof uploadPriceList>

interface Props {
  fileContent: PriceFileContent
  lists: readonly PriceRow[]
  getListState: (row: PriceRow) => PriceListState
}

/** Field by field, what the file has otherwise than a list that is here. */
export function Differences({ fileContent, lists, getListState }: Props) {
  const { t } = useTranslation('prices')
  const uatBound = useSettings()?.uat_bound ?? 'floor'
  const localLists = lists.filter(({ id }) => typeof id === 'number')
  const listInForce = localLists.find((row) => getListState(row) === 'inForce') ?? localLists[0]
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const id = selectedId ?? String(listInForce?.id ?? '')
  const fullList = useLiveQuery(
    async () => (id === '' ? null : await readResponseOutput(getPriceList, { params: { id: Number(id) } })),
    [id],
  )
  if (localLists.length === 0) return <p>{t('import.noneToCompare')}</p>
  const differences = fullList ? findPriceDifferences(fullList, fileContent.list) : null
  const day = localLists.find((row) => String(row.id) === id)?.effective_date ?? ''
  return (
    <>
      <SelectField
        label={t('import.compare')}
        options={localLists.map((row) => ({
          value: String(row.id),
          label: t(pickTextKeys[getListState(row)] ?? 'whatIf.list', {
            day: row.effective_date,
            desc: row.desc,
          }),
        }))}
        value={id}
        onChange={({ target }) => setSelectedId(target.value)}
      />
      {!differences && <p>{t('import.notKept')}</p>}
      {differences && differences.length === 0 && <p>{t('import.same', { day })}</p>}
      {differences && differences.length > 0 && (
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
                  <td>{before === null ? '–' : formatPriceFieldValue(field, before)}</td>
                  <td>{after === null ? '–' : formatPriceFieldValue(field, after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
