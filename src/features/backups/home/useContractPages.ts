import { listOrders, type OrderRow } from '#contract/orders.ts'
import { readList } from '#local/lists/read-list.ts'
import { useLiveQuery } from '#state/live-query.ts'

export const useContractPages = (companyId: number): ReadonlyMap<number, number> | undefined =>
  useLiveQuery(async () => {
    const { list } = listOrders
    if (!list) return new Map()
    const { rows } = await readList<OrderRow>(list, {
      scope: companyId,
      filters: {},
      sort: list.sort,
      page: 1,
      results: 1000,
    })
    return new Map(rows.flatMap(({ row }) => (typeof row.id === 'number' ? [[row.contract_id, row.id] as const] : [])))
  }, [companyId])
