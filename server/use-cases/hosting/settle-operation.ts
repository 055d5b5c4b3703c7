/**
 * How an operation ends in the row of its service: in the transaction in which its long request ends, so that a service is never
 * found held by what is over, nor free while somebody works on it (D40, D41).
 */
import { hostingDays } from '#domain/hosting.ts'
import { addDays } from '#domain/period.ts'
import { dateIn } from '#domain/time.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import { recordApps } from '#server/db/catalogue/apps.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { dropPassword } from '#server/db/hosting/service-passwords.ts'
import { serviceRowById, updateService } from '#server/db/hosting/services.ts'
import { showNewest } from '#server/db/orders/orders.ts'
import type { AppContext } from '#server/context/context.ts'
import type { InstanceAddress, InstanceState } from '#server/drivers/hosting/driver.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'
import type { OperationInput } from '#server/use-cases/hosting/running-operation.ts'
import { serviceRowOf, type ServiceAnswer } from '#server/use-cases/hosting/service-rows.ts'
import { seenFields } from '#server/use-cases/hosting/look-after.ts'
import { momentOf } from '#server/use-cases/orders/business-time.ts'

/** What the steps found out. */
export interface OperationPoint {
  /** Which step of the operation's plan is next. */
  next: number
  /** When the operation began to wait for health, epoch ms. */
  waitsSince?: number
  address?: InstanceAddress
  /** There is data of an earlier system, and with it its users. */
  hadData?: boolean
  /** Versions by code. */
  apps?: Record<string, string>
  /** As it was seen last. */
  state?: InstanceState | null
}

type Fields = Parameters<typeof updateService>[2]

const free: Fields = { operation: null, fault: null }

function fieldsOf(app: AppContext, { kind, config }: OperationInput, point: OperationPoint, now: number): Fields {
  const seen = seenFields(point.state ?? null)
  switch (kind) {
    case 'create-service':
      return {
        ...free,
        ...seen,
        url: point.address?.url ?? null,
        admin_url: point.address?.adminUrl ?? null,
        awaits_set_up: false,
        is_expired: false,
        erase_date: null,
        erase_time: null,
        told_stop: null,
        told_erase: null,
      }
    case 'update-service':
    case 'reboot-service':
    case 'restore-backup':
      return { ...free, ...seen }
    case 'start-service':
      return { ...free, ...seen, is_expired: false, told_stop: null, told_erase: null }
    case 'configure-service':
      return {
        operation: null,
        ...(config && { task_runtime_memory: config.memoryMb, task_desire_count: config.tasks }),
        needs_reboot: seen.needs_reboot,
      }
    case 'reset-service-password':
      return { operation: null }
    case 'stop-service':
      return { ...free, ...seen, fault: null, system_status: 4, is_expired: true }
    case 'remove-service': {
      const until = addDays(dateIn(app.config.timeZone, now), hostingDays.kept)
      return { ...free, ...gone, erase_date: until }
    }
    case 'delete-service':
      return { ...free, ...gone, erase_date: null, is_expired: false, erase_time: now }
  }
}

/** Nothing runs, and nobody finds it by its code. */
const gone: Fields = {
  url: null,
  admin_url: null,
  system_status: 0,
  online: 0,
  running_memory: null,
  running_tasks: 0,
  needs_reboot: false,
  awaits_set_up: false,
}

/** What a failure leaves: what was to be made is not there, what was to run is looked at again by the health check. */
function failedFields({ kind }: OperationInput): Fields {
  switch (kind) {
    case 'create-service':
      return { ...gone, operation: null, fault: 'failed' }
    case 'update-service':
    case 'reboot-service':
      return { operation: null, fault: 'failed', system_status: 5 }
    case 'start-service':
      // Somebody looks at it now: the clock would try for ever.
      return { operation: null, fault: 'failed', system_status: 5, is_expired: false }
    default:
      return { operation: null }
  }
}

/** Answers the service as it is now. As the system. */
export async function settleOperation(
  db: Handle,
  { app, input, point }: { app: AppContext; input: OperationInput; point: OperationPoint | null },
  problem: ProblemError | null,
): Promise<ServiceAnswer | null> {
  const now = app.clock()
  const { serviceId, companyId, code, kind } = input
  // Before the counter of services, in the order in which orders take both.
  const change = await takeChange(db, companyId)
  await updateService(
    db,
    serviceId,
    problem ? failedFields(input) : fieldsOf(app, input, point ?? { next: 0 }, now),
    now,
  )
  if (problem === null && point?.apps)
    await recordApps(db, { id: serviceId, companyId }, new Map(Object.entries(point.apps)))
  if (problem === null && kind === 'delete-service') await recordApps(db, { id: serviceId, companyId }, new Map())
  if (problem !== null && kind === 'create-service') await dropPassword(db, serviceId)
  await showNewest(db, companyId, code, { change, time: now })
  if (problem) {
    const { userCompanyId, userId, requestId, intent, trail } = input
    const head = {
      companyId: userId === 0 ? companyId : userCompanyId,
      userId: userId || null,
      now,
      status: -1,
      intent,
      requestId,
    } as const
    const { code: menu = 'service', operation, info, ...log } = trail
    await addToTrail(db, head, [{ code: menu, operation, info: { ...info, problem: problem.code }, ...log }])
  }
  const row = await serviceRowById(db, companyId, serviceId)
  return row && serviceRowOf(app, row, momentOf({ app, now }), input.toProvider)
}
