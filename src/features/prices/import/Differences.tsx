import { useState } from 'react'
import type { OutputOf } from '#contract/endpoint.ts'
import { getPriceList, type PriceRow, type uploadPriceList } from '#contract/prices.ts'
import { priceDifferences } from '#domain/catalogue/prices.ts'
import { readAnswer } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { priceFieldLabel, priceFieldText } from '#ui/i18n/price-field-messages.ts'
import { useTranslation } from 'react-i18next'
import { useSettings } from '#features/prices/useSettings.ts'
import { pickWords, type Standing } from '#features/prices/in-force.ts'

/** What is in a file, as the server has read it. */
export type Looked = OutputOf<typeof uploadPriceList>

interface Props {
  looked: Looked
  lists: readonly PriceRow[]
  standingOf: (row: PriceRow) => Standing
}

/** Field by field, what the file has otherwise than a list that is here. */
export function Differences({ looked, lists, standingOf }: Props) {
  const { t } = useTranslation('prices')
  const uatBound = useSettings()?.uat_bound ?? 'floor'
  const here = lists.filter(({ id }) => typeof id === 'number')
  const inForce = here.find((row) => standingOf(row) === 'inForce') ?? here[0]
  const [chosen, setChosen] = useState<string | null>(null)
  const id = chosen ?? String(inForce?.id ?? '')
  const whole = useLiveQuery(
    async () => (id === '' ? null : await readAnswer(getPriceList, { params: { id: Number(id) } })),
    [id],
  )
  if (here.length === 0) return <p>{t('import.noneToCompare')}</p>
  const found = whole ? priceDifferences(whole, looked.list) : null
  const day = here.find((row) => String(row.id) === id)?.effective_date ?? ''
  return (
    <>
      <SelectField
        label={t('import.compare')}
        options={here.map((row) => ({
          value: String(row.id),
          label: t(pickWords[standingOf(row)] ?? 'whatIf.list', {
            day: row.effective_date,
            desc: row.desc,
          }),
        }))}
        value={id}
        onChange={({ target }) => setChosen(target.value)}
      />
      {!found && <p>{t('import.notKept')}</p>}
      {found && found.length === 0 && <p>{t('import.same', { day })}</p>}
      {found && found.length > 0 && (
        <div className="price-scroll tall">
          <table className="price-figures">
            <caption>{t('import.differences', { count: found.length, day })}</caption>
            <thead>
              <tr>
                <th scope="col">{t('import.field')}</th>
                <th scope="col">{t('import.here', { day })}</th>
                <th scope="col">{t('import.there')}</th>
              </tr>
            </thead>
            <tbody>
              {found.map(({ field, before, after }) => (
                <tr key={field}>
                  <th scope="row">{priceFieldLabel(field, uatBound)}</th>
                  <td>{before === null ? '–' : priceFieldText(field, before)}</td>
                  <td>{after === null ? '–' : priceFieldText(field, after)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
