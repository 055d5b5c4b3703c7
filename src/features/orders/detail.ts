/** What the page of one order reads: the order with what waits laid over it, and its contract's history. */
import { useMemo } from 'react'
import { getSettings } from '#contract/accounts.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { listModuleChoices } from '#contract/modules.ts'
import { getContractHistory, getOrder, type OrderRow } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import { toWire } from '#contract/wire.ts'
import type { ClientType } from '#domain/access.ts'
import { readSingle, readTime } from '#local/single.ts'
import type { Shown } from '#local/view.ts'
import { useLive } from '#state/live.ts'
import { problemOf } from '#state/status.ts'
import { useKept } from '#features/orders/kept.ts'
import type { Market } from '#features/orders/quoting.ts'

export type ContractRow = OutputOf<typeof getContractHistory>[number]

export function useOrder(id: number) {
  const asked = { params: { id } }
  const { kept, asking, again } = useKept(getOrder, asked)
  const { path } = toWire(getOrder, asked)
  // Undefined: the device has not answered yet. Null: it holds none.
  const shown = useLive(async () => await readSingle<OrderRow>(path, 'orders', id), [path, id])
  // The newer of the two is shown: a page that was only listed so far is as old as the list.
  const listed = useLive(async () => await readTime('orders', id), [id])
  const asOf = Math.max(kept?.asOf ?? 0, listed ?? 0) || null
  return { shown, asOf, busy: asking.is === 'sending', problem: problemOf(asking), again }
}

/** An order that is here. */
export type ShownOrder = ReturnType<typeof useOrder> & { shown: Shown<OrderRow> }

/** Newest first; `contractId` 0: there is no contract yet. */
export function useHistory(contractId: number) {
  const { kept, asking, again } = useKept(getContractHistory, contractId > 0 ? { params: { id: contractId } } : null)
  return { rows: kept?.output ?? null, problem: problemOf(asking), again }
}

/** What prices of the order's client type are worked out from, whichever type its reader looks at otherwise. */
export function usePrices(type: ClientType) {
  const query = { type }
  const { kept: list, again: askList } = useKept(getPriceInForce, { query })
  const { kept: modules, again: askModules } = useKept(listModuleChoices, { query })
  const { kept: settings } = useKept(getSettings, {})
  const market = useMemo<Market | null>(() => {
    if (!list || !modules || !settings) return null
    const { uat_bound: uatBound, time_zone: zone } = settings.output
    return { list: list.output, modules: modules.output, uatBound, zone }
  }, [list, modules, settings])
  return {
    /** Null: not all of it is here. */
    market,
    modules: modules?.output ?? [],
    zone: settings?.output.time_zone ?? null,
    /** Of the price list, epoch ms. */
    asOf: list?.asOf ?? null,
    again: async () => void (await Promise.all([askList(), askModules()])),
  }
}
