/** Collects the sources of the search: what the caller may read, by the access rules of the pages that the items open. */
import type { TFunction } from 'i18next'
import { type Caller, isAllowed } from '#domain/access.ts'
import type { DueSubject } from '#domain/dues.ts'
import { customerSearchSource } from '#features/customers/customer-search-source.ts'
import { createInvoiceSearchSource } from '#features/invoices/invoice-search-source.ts'
import { createContractSearchSource } from '#features/orders/list/contract-search-source.ts'
import { serviceSearchSource } from '#features/services/list/service-search-source.ts'
import { createUserSearchSource } from '#features/users/user-search-source.ts'
import type { SearchSource } from '#patterns/search-source.ts'
import { routes } from '#app/routes/paths.ts'

export function createSearchSources(
  caller: Caller,
  t: TFunction<'search'>,
  describeDue: (due: DueSubject) => string,
): SearchSource[] {
  const { companyId } = caller
  const sources: SearchSource[] = []
  if (isAllowed(routes.contract.access, caller))
    sources.push(
      createContractSearchSource({
        companyId,
        hasAllCompanies: isAllowed('staffOrder', caller),
        formatPayment: (values) => t('pay', values),
        formatDue: (day) => t('payBy', { day }),
        describeDue,
      }),
    )
  if (isAllowed(routes.invoices.access, caller))
    sources.push(createInvoiceSearchSource(companyId, isAllowed('staffOrder', caller)))
  if (isAllowed(routes.customers.access, caller)) sources.push(customerSearchSource)
  if (isAllowed(routes.service.access, caller)) sources.push(serviceSearchSource)
  if (isAllowed(routes.users.access, caller)) sources.push(createUserSearchSource(companyId))
  return sources
}
