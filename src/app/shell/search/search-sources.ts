/** Collects the sources of the search: what the caller may read, by the access rules of the pages that the items open. */
import type { TFunction } from 'i18next'
import { type Caller, isAllowed } from '#domain/access.ts'
import type { DueSubject } from '#domain/dues.ts'
import { customerSearchSource } from '#features/customers/customer-search-source.ts'
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
  if (isAllowed(routes.customers.access, caller)) sources.push(customerSearchSource)
  if (isAllowed(routes.service.access, caller)) sources.push(serviceSearchSource)
  if (isAllowed(routes.users.access, caller)) sources.push(createUserSearchSource(companyId))
  return sources
}

/**
 * Loads the sources whose code only some devices store. If it cannot be loaded, these rows are not found, like rows that are not on the
 * device.
 */
export async function loadFurtherSources(caller: Caller): Promise<SearchSource[]> {
  if (!isAllowed(routes.invoices.access, caller)) return []
  const source = await import(/* chunk: orders-invoices */ '#features/invoices/invoice-search-source.ts').catch(
    () => null,
  )
  return source ? [source.createInvoiceSearchSource(caller.companyId, isAllowed('staffOrder', caller))] : []
}
