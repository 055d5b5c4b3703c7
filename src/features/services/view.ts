/** The view of the service list in the address (C-01). */
import { failedStatus, type ServiceRow, serviceListSpec } from '#contract/services.ts'
import { addDays } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { defineListView } from '#state/list-url.ts'
import { id, oneOf } from '#state/view-fields.ts'

/** Status numbers of D40, in display order. */
export const systemStatuses: readonly ServiceRow['system_status'][] = [2, 1, 3, 4, 5, 0]

/** Groups of services that the filter offers. */
export const serviceGroups = ['down', 'reboot', 'update', 'ending'] as const

/** A contract that ends within this number of days, including today, is in the group "ending", and is counted for the staff. */
export const endingDays = 30

const groupQueries: Record<(typeof serviceGroups)[number], Record<string, number | boolean>> = {
  down: { downStatus: failedStatus },
  reboot: { needsReboot: true },
  update: { minNewerApps: 1 },
  ending: {},
}

export const servicesView = defineListView(serviceListSpec, {
  /** Null for the services of all companies. */
  company: id({ toQuery: (companyId) => ({ companyId: companyId ?? undefined }) }),
  status: oneOf(systemStatuses, { toQuery: (systemStatus) => ({ systemStatus: systemStatus ?? undefined }) }),
  /** The days are added to the query, because they depend on today. */
  show: oneOf(serviceGroups, {
    toQuery: (group) => (group ? groupQueries[group] : {}),
  }),
})
export type ServicesView = (typeof servicesView)['defaultView']

/** `today` is in the business time zone. A view of contracts that end soon needs it. */
export const toListQuery = ({ today, ...view }: ServicesView & { today?: PlainDate }) => ({
  ...servicesView.toListQuery(view),
  ...(view.show === 'ending' && today && { expiresFrom: today, expiresUntil: addDays(today, endingDays) }),
})
