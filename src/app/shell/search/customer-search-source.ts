import { type ServiceRow, serviceListSpec } from '#contract/services.ts'
import { serviceSearchSource } from '#features/services/list/service-search-source.ts'
import type { SearchSource } from '#patterns/search-source.ts'

/** Customers for the provider's staff: the companies of the services on the device. A customer opens the list of its services. */
export const customerSearchSource: SearchSource = {
  kind: 'customers',
  list: serviceListSpec,
  scope: null,
  toItems(versionedRow) {
    const { company_id: companyId, company_code: code, company_name: name } = versionedRow as ServiceRow
    const path = `/app/service?company=${companyId}`
    return [
      { key: `customer ${companyId}`, group: 'find', icon: 'company', label: name, detail: code, codes: [code], path },
    ]
  },
  // A service, not a company, identifies a row of this source, so customers are not among the recent items.
  findOpenId: () => null,
  toKey: (serviceId) => `customer of service ${serviceId}`,
  toListPath: (searchText) => serviceSearchSource.toListPath(searchText),
  fetch: () => serviceSearchSource.fetch(),
}
