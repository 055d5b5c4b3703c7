/** The view of the service list in the address (C-01). */
import { type ServiceRow, serviceListSpec } from '#contract/services.ts'
import { defineListView } from '#state/list-url.ts'
import { id, oneOf } from '#state/view-fields.ts'

/** Status numbers of D40, in display order. */
export const systemStatuses: readonly ServiceRow['system_status'][] = [2, 1, 3, 4, 5, 0]

export const servicesView = defineListView(serviceListSpec, {
  /** Null for the services of all companies. */
  company: id({ toQuery: (companyId) => ({ companyId: companyId ?? undefined }) }),
  status: oneOf(systemStatuses, { toQuery: (systemStatus) => ({ systemStatus: systemStatus ?? undefined }) }),
})
export type ServicesView = (typeof servicesView)['defaultView']
