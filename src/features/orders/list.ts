/** Orders as the device has them: the list, and what is asked beside it. For live queries. */
import type { ClientType } from '#domain/access.ts'
import { type OrderRow, ordersFills } from '#contract/orders.ts'
import { getPriceInForce } from '#contract/prices.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import { readAnswer } from '#local/answers.ts'
import { readList } from '#local/lists.ts'
import { useLive } from '#state/live.ts'
import { filtersOf, type View } from '#features/orders/address.ts'

export const readOrders = (companyId: number, type: ClientType, view: View) =>
  readList<OrderRow>(ordersFills, {
    scope: companyId,
    filters: filtersOf(type, view),
    sort: view.sort,
    page: view.page,
    results: view.results,
  })

export type PriceInForce = OutputOf<typeof getPriceInForce>

/** The list by which is ordered now (D16), as the device last heard. Null: it has none; undefined: not looked up yet. */
export const usePriceInForce = (type: ClientType): PriceInForce | null | undefined =>
  useLive(async () => await readAnswer(getPriceInForce, { query: { type } }), [type])
