import { listAppHistory, listApps } from '#contract/staff/apps.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { listModules } from '#contract/modules.ts'
import { listPriceLists } from '#contract/prices.ts'
import type { ListUseCase } from '#server/context/context.ts'
import { appHistoryList, appList } from '#server/use-cases/catalogue/apps.ts'
import { moduleList } from '#server/use-cases/catalogue/modules.ts'
import { priceListList } from '#server/use-cases/catalogue/price-lists.ts'

const defineList = <E extends Endpoint>(endpoint: E, list: ListUseCase<E>) => ({
  endpoint: endpoint as Endpoint,
  list: list as unknown as ListUseCase<Endpoint>,
})

export const catalogueLists = [
  defineList(listModules, moduleList),
  defineList(listPriceLists, priceListList),
  defineList(listApps, appList),
  defineList(listAppHistory, appHistoryList),
]
