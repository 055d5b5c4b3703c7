/** What a menu offers for a service, by its state and by who asks (contracts 4, 6; D41; Z-26). What the rule says stands in `domain/hosting.ts`. */
import type { Caller } from '#domain/access.ts'
import { type ServiceActionRefusal, type ServiceAction, getServiceActionRefusal } from '#domain/hosting.ts'
import type { PlainDate } from '#domain/time.ts'
import type { ServiceRow } from '#contract/services.ts'

/** The log is read by its own page, or downloaded. */
export type ServiceMenuAction = ServiceAction | 'download'

/** In the order in which a menu offers them. */
const menuActions: readonly ServiceMenuAction[] = [
  'create',
  'update',
  'reboot',
  'configure',
  'reset',
  'log',
  'download',
  'remove',
  'delete',
]

/** Why one that is offered cannot be used now. `busy`: something else is being done to it. */
export type ActionRefusal = 'expired' | 'not_yet' | 'notExpired' | 'busy'

const toServiceAction = (action: ServiceMenuAction): ServiceAction => (action === 'download' ? 'log' : action)
/** Nothing that one waits for would change these soon: it is not offered at all. */
const isOffered = (refusal: ServiceActionRefusal | null): refusal is 'expired' | 'not_yet' | null =>
  refusal === null || refusal === 'expired' || refusal === 'not_yet'

/** A customer is told that there will be a time for it (D41). */
const waitsForExpiry = (row: ServiceRow, caller: Caller): boolean =>
  caller.order && row.company_id === caller.companyId && (row.system_status > 0 || row.erase_date !== null)

/** `today`: in the business time zone. */
export const listServiceActions = (row: ServiceRow, caller: Caller, today: PlainDate): ServiceMenuAction[] =>
  menuActions.filter((action) => {
    // It stands: what its contract says against a creation is no news.
    if (action === 'create' && row.system_status > 0) return false
    const refusal = getServiceActionRefusal(toServiceAction(action), row, caller, today)
    return isOffered(refusal) || (action === 'delete' && refusal === 'not_allowed' && waitsForExpiry(row, caller))
  })

/** Null: it can be done. Reading a log disturbs nothing. */
export function findActionRefusal(
  action: ServiceMenuAction,
  row: ServiceRow,
  caller: Caller,
  today: PlainDate,
): ActionRefusal | null {
  const refusal = getServiceActionRefusal(toServiceAction(action), row, caller, today)
  if (refusal === 'expired' || refusal === 'not_yet') return refusal
  if (refusal !== null) return 'notExpired'
  return row.operation !== null && toServiceAction(action) !== 'log' ? 'busy' : null
}
