/** What runs, written into the rows of services whenever it has changed (D40): the health check, and the staff's tool that asks for it at once. */
import { takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { lookedAfter, type LookedAfter, serviceForUpdate, updateService } from '#server/db/hosting/services.ts'
import { showNewest } from '#server/db/orders/orders.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { HostingError, type InstanceConfig, type InstanceState } from '#server/drivers/hosting/driver.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'

type Seen = Pick<
  LookedAfter,
  'online' | 'running_memory' | 'running_tasks' | 'needs_reboot' | 'fault' | 'system_status'
>

/** Null: nothing is known of it where it should run. */
export function seenFields(state: InstanceState | null): Seen {
  if (!state?.created)
    return { online: 0, running_memory: null, running_tasks: 0, needs_reboot: false, fault: 'failed', system_status: 5 }
  const { tasks, config, healthy, active, fault } = state
  const isStill = (active === null || active.tasks === 0) && tasks.length === 0
  return {
    online: healthy ? 1 : 0,
    running_memory: tasks[0]?.limitMb ?? null,
    running_tasks: tasks.length,
    needs_reboot: active !== null && !isSame(active, config),
    fault,
    system_status: isStill ? 4 : healthy ? 2 : fault === null ? 3 : 5,
  }
}
const isSame = (a: InstanceConfig, b: InstanceConfig) =>
  a.tasks === b.tasks && (a.memoryMb === b.memoryMb || b.tasks === 0)

const isEqual = (a: Seen, b: Seen) => (Object.keys(b) as (keyof Seen)[]).every((field) => a[field] === b[field])

export interface LookResult {
  checked: number
  online: number
  changed: number
}

/**
 * Looks at all services that should be there, or one company's, and writes down what is otherwise than it was. One that somebody
 * works on is left to them. Systems that no row knows of are taken away: what made them was cut off. Throws NOT_SUPPORT where services
 * are not run from here.
 */
export async function lookAfterServices(app: AppContext, companyId: number | null = null): Promise<LookResult> {
  // Who runs them looks after them.
  if (app.config.hosting !== 'local') throw new ProblemError('NOT_SUPPORT')
  const states = await app.hosting.lookAll().catch((error: unknown) => {
    if (error instanceof HostingError) return null
    throw error
  })
  const known = await inTransaction(app, system, lookedAfter, 'reading')
  const own = known.filter((row) => companyId === null || row.company_id === companyId)
  const byId = new Map(states?.map((state) => [state.serviceId, state]))
  const result: LookResult = { checked: 0, online: 0, changed: 0 }
  for (const row of own) {
    if (row.system_status === 0) continue
    result.checked += 1
    const seen: Seen = states ? seenFields(byId.get(row.id) ?? null) : { ...unreachable(row) }
    result.online += seen.online
    if (row.operation !== null || isEqual(row, seen)) continue
    if (!(await inTransaction(app, system, (db) => writeSeen(db, app, row, seen)))) continue
    result.changed += 1
    announceServices(app, row.company_id)
  }
  if (states) await takeAwayStrays(app, known, states)
  return result
}
const system = { role: 'portal_system' } as const

/** What runs there is not known: it is as it was, and nobody can say that it answers. */
const unreachable = ({ running_memory, running_tasks, needs_reboot, system_status }: LookedAfter): Seen => ({
  online: 0,
  running_memory,
  running_tasks,
  needs_reboot,
  fault: 'unreachable',
  system_status,
})

/** False: somebody else was here in between. */
async function writeSeen(db: Handle, app: AppContext, row: LookedAfter, seen: Seen): Promise<boolean> {
  const now = app.clock()
  const held = await serviceForUpdate(db, row.id)
  if (!held || held.row_version !== row.row_version) return false
  // Before the counter of services, in the order in which orders take both.
  const change = await takeChange(db, row.company_id)
  await updateService(db, row.id, seen, now)
  await showNewest(db, row.company_id, row.code, { change, time: now })
  return true
}

async function takeAwayStrays(app: AppContext, known: readonly LookedAfter[], states: readonly InstanceState[]) {
  const rows = new Map(known.map((row) => [row.id, row]))
  for (const state of states) {
    const row = rows.get(state.serviceId)
    if (!state.created || !row || row.system_status !== 0 || row.operation !== null) continue
    const { serviceId, code } = state
    await app.hosting.remove({ serviceId, code }, { fence: row.fence }).catch((error: unknown) => {
      app.log.warn({ err: error, service: code }, 'a system that no service needs could not be taken away')
    })
  }
}
