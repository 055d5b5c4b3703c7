/** What a menu offers for a service, by its state and by who asks (contracts 4, 6; D41; Z-26). What the rule says stands in `domain/hosting.ts`. */
import type { Caller } from '#domain/access.ts'
import { type ActRefusal, type ServiceAct, whyNotAct } from '#domain/hosting.ts'
import type { PlainDate } from '#domain/time.ts'
import type { ServiceRow } from '#contract/services.ts'

/** The log is read by its own page, or downloaded. */
export type Move = ServiceAct | 'download'

/** In the order in which a menu offers them. */
const moves: readonly Move[] = [
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
export type WhyNotMove = 'expired' | 'not_yet' | 'notExpired' | 'busy'

const actOf = (move: Move): ServiceAct => (move === 'download' ? 'log' : move)
/** Nothing that one waits for would change these soon: it is not offered at all. */
const isShown = (why: ActRefusal | null): why is 'expired' | 'not_yet' | null =>
  why === null || why === 'expired' || why === 'not_yet'

/** A customer is told that there will be a time for it (D41). */
const waitsForExpiry = (row: ServiceRow, caller: Caller): boolean =>
  caller.order && row.company_id === caller.companyId && (row.system_status > 0 || row.erase_date !== null)

/** `today`: in the business time zone. */
export const movesOf = (row: ServiceRow, caller: Caller, today: PlainDate): Move[] =>
  moves.filter((move) => {
    // It stands: what its contract says against a creation is no news.
    if (move === 'create' && row.system_status > 0) return false
    const why = whyNotAct(actOf(move), row, caller, today)
    return isShown(why) || (move === 'delete' && why === 'not_allowed' && waitsForExpiry(row, caller))
  })

/** Null: it can be done. Reading a log disturbs nothing. */
export function whyNotMove(move: Move, row: ServiceRow, caller: Caller, today: PlainDate): WhyNotMove | null {
  const why = whyNotAct(actOf(move), row, caller, today)
  if (why === 'expired' || why === 'not_yet') return why
  if (why !== null) return 'notExpired'
  return row.operation !== null && actOf(move) !== 'log' ? 'busy' : null
}
