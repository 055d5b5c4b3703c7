import { useState } from 'react'
import { getPriceList, type PriceRow } from '#contract/prices.ts'
import { readResponseOutput } from '#local/lists/responses.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { useTranslation } from 'react-i18next'
import type { PriceListState } from '#features/prices/price-list-state.ts'

const pickTextKeys: Partial<Record<PriceListState, 'whatIf.inForce' | 'whatIf.withdrawn'>> = {
  inForce: 'whatIf.inForce',
  withdrawn: 'whatIf.withdrawn',
}

interface ComparedListOptions {
  lists: readonly PriceRow[]
  getListState: (row: PriceRow) => PriceListState
  isRequired: boolean
}

/**
 * Returns the list to compare with: the one in force, unless the user selects another. Lists that are waiting to be created are not
 * offered. `selectProps` are the props of the select box.
 */
export function useComparedList({ lists, getListState, isRequired }: ComparedListOptions) {
  const { t } = useTranslation('prices')
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const savedLists = lists.filter(({ id }) => typeof id === 'number')
  const rowInForce = savedLists.find((row) => getListState(row) === 'inForce')
  const id = selectedId ?? String((rowInForce ?? (isRequired ? savedLists[0] : undefined))?.id ?? '')
  const fullList = useLiveQuery(
    async () => (id === '' ? null : await readResponseOutput(getPriceList, { params: { id: Number(id) } })),
    [id],
  )
  return {
    /** Null if this device does not have the full list. */
    fullList: fullList ?? null,
    day: savedLists.find((row) => String(row.id) === id)?.effective_date ?? null,
    selectProps: {
      options: savedLists.map((row) => ({
        value: String(row.id),
        label: t(pickTextKeys[getListState(row)] ?? 'whatIf.list', { day: row.effective_date, desc: row.desc }),
      })),
      value: id,
      onChange: ({ target }: { target: { value: string } }) => setSelectedId(target.value),
    },
  }
}
