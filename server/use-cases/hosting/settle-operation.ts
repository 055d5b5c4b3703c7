/**
 * How an operation ends in the row of its service: in the transaction in which its long request ends, so that a service is never
 * found held by what is over, nor free while somebody works on it (D40, D41).
 */
import { hostingDays } from '#domain/hosting.ts'
import { addDays } from '#domain/plain-dates.ts'
import { toPlainDate } from '#domain/time.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { replaceServiceApps } from '#server/db/catalogue/apps.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { deletePassword } from '#server/db/hosting/service-passwords.ts'
import { findServiceRow, updateService } from '#server/db/hosting/services.ts'
import { updateListedOrder } from '#server/db/orders/orders.ts'
import type { AppContext } from '#server/context/context.ts'
import type { InstanceAddress, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'
import type { OperationInput } from '#server/use-cases/hosting/running-operation.ts'
import { toServiceResponse, type ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { toObservedFields } from '#server/use-cases/hosting/check-services.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

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

type ServiceFields = Parameters<typeof updateService>[2]

const idleFields: ServiceFields = { operation: null, fault: null }

function getFinishedFields(
  app: AppContext,
  { kind, config }: OperationInput,
  point: OperationPoint,
  now: number,
): ServiceFields {
  const observedFields = toObservedFields(point.state ?? null)
  switch (kind) {
    case 'create-service':
      return {
        ...idleFields,
        ...observedFields,
        url: point.address?.url ?? null,
        admin_url: point.address?.adminUrl ?? null,
        awaits_set_up: false,
        is_expired: false,
        erase_date: null,
        erase_time: null,
        notified_stop: null,
        notified_erase: null,
      }
    case 'update-service':
    case 'reboot-service':
    case 'restore-backup':
      return { ...idleFields, ...observedFields }
    case 'start-service':
      return { ...idleFields, ...observedFields, is_expired: false, notified_stop: null, notified_erase: null }
    case 'configure-service':
      return {
        operation: null,
        ...(config && { task_runtime_memory: config.memoryMb, task_desire_count: config.tasks }),
        needs_reboot: observedFields.needs_reboot,
      }
    case 'reset-service-password':
      return { operation: null }
    case 'stop-service':
      return { ...idleFields, ...observedFields, fault: null, system_status: 4, is_expired: true }
    case 'remove-service': {
      const eraseDate = addDays(toPlainDate(app.config.timeZone, now), hostingDays.dataRetention)
      return { ...idleFields, ...removedFields, erase_date: eraseDate }
    }
    case 'delete-service':
      return { ...idleFields, ...removedFields, erase_date: null, is_expired: false, erase_time: now }
  }
}

/** Nothing runs, and nobody finds it by its code. */
const removedFields: ServiceFields = {
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
function getFailedFields({ kind }: OperationInput): ServiceFields {
  switch (kind) {
    case 'create-service':
      return { ...removedFields, operation: null, fault: 'failed' }
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
  db: DatabaseHandle,
  { app, input, point }: { app: AppContext; input: OperationInput; point: OperationPoint | null },
  problem: ProblemError | null,
): Promise<ServiceResponse | null> {
  const now = app.clock()
  const { serviceId, companyId, code, kind } = input
  // Before the counter of services, in the order in which orders take both.
  const change = await takeChangeNumber(db, companyId)
  await updateService(
    db,
    serviceId,
    problem ? getFailedFields(input) : getFinishedFields(app, input, point ?? { next: 0 }, now),
    now,
  )
  if (problem === null && point?.apps)
    await replaceServiceApps(db, { id: serviceId, companyId }, new Map(Object.entries(point.apps)))
  if (problem === null && kind === 'delete-service')
    await replaceServiceApps(db, { id: serviceId, companyId }, new Map())
  if (problem !== null && kind === 'create-service') await deletePassword(db, serviceId)
  await updateListedOrder(db, companyId, code, { change, time: now })
  if (problem) {
    const { userCompanyId, userId, requestId, intent, trail: trailEntry } = input
    const entryHeader = {
      companyId: userId === 0 ? companyId : userCompanyId,
      userId: userId || null,
      now,
      status: -1,
      intent,
      requestId,
    } as const
    const { code: auditMenu = 'service', operation, info, ...log } = trailEntry
    await addAuditEntries(db, entryHeader, [
      { code: auditMenu, operation, info: { ...info, problem: problem.code }, ...log },
    ])
  }
  const row = await findServiceRow(db, companyId, serviceId)
  return row && toServiceResponse(app, row, getBusinessMoment({ app, now }), input.toProvider)
}
