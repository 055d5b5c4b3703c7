import { listServices, type ServiceRow, serviceListSpec } from '#contract/services.ts'
import { toPageQuery, plainListState } from '#state/list-url.ts'
import { createCompleteListSlice } from '#state/complete-list.ts'

export const homeServices = createCompleteListSlice<ServiceRow>('homeServices', listServices)
export const allServicesView = toPageQuery(plainListState(serviceListSpec))
