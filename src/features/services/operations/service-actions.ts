/** The menu of a service (contracts 4, 6; D41; Z-26). Its rules are in `domain/hosting.ts`. */
import type { Caller } from '#domain/access.ts'
import { type ServiceActionRefusal, type ServiceAction, getServiceActionRefusal } from '#domain/hosting.ts'
import type { PlainDate } from '#domain/time.ts'
import type { ServiceRow } from '#contract/services.ts'

/** An action of the menu. A log can be read on its own page or downloaded; both need the same right. */
export type ServiceMenuAction = ServiceAction | 'download'

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

/** Reason why an offered action cannot be used now. `busy` means that another operation is running. */
export type ActionRefusal = 'expired' | 'not_yet' | 'notExpired' | 'busy'

const toServiceAction = (action: ServiceMenuAction): ServiceAction => (action === 'download' ? 'log' : action)
/** Returns whether the action is offered. Any other refusal is permanent, so the action is not shown at all. */
const isOffered = (refusal: ServiceActionRefusal | null): refusal is 'expired' | 'not_yet' | null =>
  refusal === null || refusal === 'expired' || refusal === 'not_yet'

/**
 * Returns whether a customer sees a disabled delete action. Its reason is that the service can be deleted after the contract's end (D41).
 */
const waitsForExpiry = (row: ServiceRow, caller: Caller): boolean =>
  caller.order && row.company_id === caller.companyId && (row.system_status > 0 || row.erase_date !== null)

/** `today` is in the business time zone. */
export const listServiceActions = (row: ServiceRow, caller: Caller, today: PlainDate): ServiceMenuAction[] =>
  menuActions.filter((action) => {
    // The service exists already, so the state of its contract does not matter.
    if (action === 'create' && row.system_status > 0) return false
    const refusal = getServiceActionRefusal(toServiceAction(action), row, caller, today)
    return isOffered(refusal) || (action === 'delete' && refusal === 'not_allowed' && waitsForExpiry(row, caller))
  })

/** Returns null if the action can be used. A log can be read even while an operation is running. */
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
