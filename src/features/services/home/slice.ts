/** The services of all customers, for what home says of them. */
import { listServices, type ServiceRow, servicesFills } from '#contract/services.ts'
import { readList } from '#local/lists/read-list.ts'
import { pageOf, plainListing } from '#state/list-url.ts'
import { createWholeList } from '#state/whole-list.ts'

export const homeServices = createWholeList<ServiceRow>('homeServices', listServices, readList)
export const everybodys = pageOf(plainListing(servicesFills))
