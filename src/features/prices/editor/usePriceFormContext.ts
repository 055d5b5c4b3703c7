import { useMemo } from 'react'
import { moduleListSpec } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'

import { toPageQuery, plainListState } from '#state/list-url.ts'
import { useList } from '#state/use-list.ts'
import type { FullPriceList } from '#features/prices/price-list-form.ts'
import type { PriceFormContext } from '#features/prices/sent-list.ts'
import { useCachedFullLists, usePriceLists } from '#features/prices/usePriceLists.ts'
import { allModulesSlice } from '#features/prices/slice.ts'

const query = toPageQuery(plainListState(moduleListSpec))

export function usePriceFormContext(type: ClientType, fullList: FullPriceList | null) {
  const { rows, freshness } = useList(allModulesSlice, { scope: null, view: { ...query, type } })
  const { lists, today, getListState } = usePriceLists(type)
  useCachedFullLists(lists)
  const modules = useMemo(() => rows?.map(({ row }) => row) ?? [], [rows])
  const visibleModules = useMemo(() => modules.filter(({ hidden, id }) => !hidden && typeof id === 'number'), [modules])
  const namesByCode = useMemo(() => new Map(visibleModules.map(({ code, name }) => [code, name])), [visibleModules])
  const idsByCode = useMemo(() => new Map(visibleModules.map(({ code, id }) => [code, id as number])), [visibleModules])
  const ownId = fullList?.id
  const formContext = useMemo(
    (): PriceFormContext => ({
      moduleIdsByCode: freshness.complete ? idsByCode : null,
      takenDates: new Set(
        lists?.filter(({ id, withdrawn }) => id !== ownId && !withdrawn).map(({ effective_date: day }) => day),
      ),
      formerIdsByCode: new Map((fullList?.module ?? []).map(({ code, module_id: id }) => [code, id])),
    }),
    [freshness.complete, idsByCode, lists, ownId, fullList],
  )
  /** Null if this device does not have the complete catalogue. */
  const catalogue = freshness.complete ? modules : null
  return { formContext, namesByCode, modules, catalogue, lists, today, getListState }
}
