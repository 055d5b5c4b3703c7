import { listServices, type ServiceRow, serviceListSpec } from '#contract/services.ts'
import type { SearchSource } from '#patterns/search-source.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'
import { plainListState, toPageQuery } from '#state/list-url.ts'
import { servicesView } from '#features/services/view.ts'

const searchServicesList = createCompleteListSlice<ServiceRow>('searchServices', listServices)

const toKey = (id: number) => `service ${id}`

/** Hosted services of all companies, for the provider's staff. */
export const serviceSearchSource: SearchSource = {
  kind: 'services',
  list: serviceListSpec,
  scope: null,
  toItems(versionedRow) {
    const {
      id,
      code,
      name,
      company_name: companyName,
      company_code: companyCode,
      contract,
    } = versionedRow as ServiceRow
    const detail = [name, companyName].filter((text) => text !== '' && text !== code).join(' · ')
    return [
      {
        key: toKey(id),
        group: 'find',
        icon: 'service',
        label: code,
        detail,
        codes: contract === null ? [] : [contract],
        // Not a code of the service, because the exact code of a company is the company.
        otherTexts: [companyCode],
        path: `/app/service/${id}`,
      },
    ]
  },
  findOpenId: (pathname) => {
    const [, id] = /^\/app\/service\/(\d+)(?:\/|$)/.exec(pathname) ?? []
    return id === undefined ? null : Number(id)
  },
  toKey,
  toListPath: (searchText) => `/app/service?${servicesView.write({ ...servicesView.defaultView, searchText })}`,
  fetch: () => searchServicesList.fetchList({ scope: null, query: toPageQuery(plainListState(serviceListSpec)) }),
}
