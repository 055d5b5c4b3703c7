import { useMemo } from 'react'
import { modulesFills } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'

import { pageOf, plainListing } from '#state/list-url.ts'
import { useList } from '#state/use-list.ts'
import type { WholeList } from '#features/prices/price-list-form.ts'
import type { Known } from '#features/prices/sent-list.ts'
import { useKeptWhole, usePriceLists } from '#features/prices/usePriceLists.ts'
import { pricedModules } from '#features/prices/slice.ts'

const query = pageOf(plainListing(modulesFills))

/** What the form is checked against on this device, and what its modules are called. */
export function useKnown(type: ClientType, whole: WholeList | null) {
  const { rows, freshness } = useList(pricedModules, { scope: null, view: { ...query, type } })
  const { lists, today, standingOf } = usePriceLists(type)
  // Those that it is compared with.
  useKeptWhole(lists)
  const modules = useMemo(() => rows?.map(({ row }) => row) ?? [], [rows])
  const visible = useMemo(() => modules.filter(({ hidden, id }) => !hidden && typeof id === 'number'), [modules])
  const names = useMemo(() => new Map(visible.map(({ code, name }) => [code, name])), [visible])
  const ids = useMemo(() => new Map(visible.map(({ code, id }) => [code, id as number])), [visible])
  const ownId = whole?.id
  const known = useMemo(
    (): Known => ({
      modules: freshness.complete ? ids : null,
      taken: new Set(
        lists?.filter(({ id, withdrawn }) => id !== ownId && !withdrawn).map(({ effective_date: day }) => day),
      ),
      formerIds: new Map((whole?.module ?? []).map(({ code, module_id: id }) => [code, id])),
    }),
    [freshness.complete, ids, lists, ownId, whole],
  )
  /** Null: not known whole on this device. */
  const catalogue = freshness.complete ? modules : null
  return { known, names, modules, catalogue, lists, today, standingOf }
}
