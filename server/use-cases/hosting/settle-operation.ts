/**
 * Stores the end of an operation in the transaction that ends its job. So a service is never locked by a finished operation, nor free while
 * one still runs (D40, D41).
 */
import { hostingDays } from '#domain/hosting.ts'
import { addDays } from '#domain/plain-dates.ts'
import { type PlainDate, toPlainDate } from '#domain/time.ts'
import { type ServiceOperation, serviceFaults } from '#contract/services.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import { replaceServiceApps } from '#server/db/catalogue/apps.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { deletePassword } from '#server/db/hosting/service-passwords.ts'
import { findServiceRow, lockService, updateService } from '#server/db/hosting/services.ts'
import { updateListedOrder } from '#server/db/orders/orders.ts'
import type { AppContext } from '#server/context/context.ts'
import type { InstanceAddress, InstanceFault, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import type { ProblemError } from '#server/problems/problem-error.ts'
import { findDeployment, type HealthWait } from '#server/use-cases/hosting/health-wait.ts'
import type { OperationInput } from '#server/use-cases/hosting/running-operation.ts'
import { isOutageReported, reportOutage } from '#server/use-cases/hosting/outages.ts'
import { toServiceResponse, type ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { toObservedFields } from '#server/use-cases/hosting/check-services.ts'
import { getBusinessMoment } from '#server/use-cases/orders/business-time.ts'

export interface OperationPoint {
  next: number
  address?: InstanceAddress
  /** Whether the host has data of an earlier instance, including its users. */
  hadData?: boolean
  /** Installed versions by app code. */
  apps?: Record<string, string>
  state?: InstanceState | null
  /** What the wait for health remembers between two checks. */
  wait?: HealthWait
  /**
   * Set when the wait for health was given up, or the host has refused to start the new version (then with its details). The deployment is
   * rolled back, and the operation fails.
   */
  givenUp?: { fault: InstanceFault; details?: Readonly<Record<string, string>>; isRolledBack: boolean }
}

type ServiceFields = Parameters<typeof updateService>[2]
type ServiceFault = (typeof serviceFaults)[number]

/** Fields of a service without an instance. A look-up by the service's code does not find it. */
const removedFields: ServiceFields = {
  url: null,
  admin_url: null,
  system_status: 0,
  deployment_fault: null,
  online: 0,
  running_memory: null,
  running_tasks: 0,
  needs_reboot: false,
  awaits_set_up: false,
}

interface FinishedOperation {
  config: OperationInput['config']
  point: OperationPoint
  observedFields: ServiceFields
  /** Date on which the data is erased if the service is removed now. */
  eraseDate: PlainDate
  now: number
}

const getObservedFields = ({ observedFields }: FinishedOperation): ServiceFields => observedFields

const finishedFields: Record<ServiceOperation, (operation: FinishedOperation) => ServiceFields> = {
  'create-service': ({ observedFields, point }) => ({
    ...observedFields,
    url: point.address?.url ?? null,
    admin_url: point.address?.adminUrl ?? null,
    awaits_set_up: false,
    is_expired: false,
    erase_date: null,
    erase_time: null,
    notified_stop: null,
    notified_erase: null,
  }),
  'update-service': getObservedFields,
  'reboot-service': getObservedFields,
  'restore-backup': getObservedFields,
  'start-service': ({ observedFields }) => ({
    ...observedFields,
    is_expired: false,
    notified_stop: null,
    notified_erase: null,
  }),
  'configure-service': ({ config, observedFields: { needs_reboot } }) => ({
    ...(config && { task_runtime_memory: config.memoryMb, task_desire_count: config.tasks }),
    needs_reboot,
  }),
  'reset-service-password': () => ({}),
  'stop-service': ({ observedFields }) => ({ ...observedFields, fault: null, system_status: 4, is_expired: true }),
  'remove-service': ({ eraseDate }) => ({ ...removedFields, fault: null, erase_date: eraseDate }),
  'delete-service': ({ now }) => ({
    ...removedFields,
    fault: null,
    erase_date: null,
    is_expired: false,
    erase_time: now,
  }),
}

/** Fields of the row after a failed operation. The health check later corrects the status of a service that should be running. */
const failedFields: Partial<Record<ServiceOperation, (reason: ServiceFault | null) => ServiceFields>> = {
  // Nothing runs, so the reason is that of a change that was undone.
  'create-service': (reason) => ({ ...removedFields, fault: 'failed', deployment_fault: reason }),
  'update-service': () => ({ fault: 'failed', system_status: 5 }),
  'reboot-service': () => ({ fault: 'failed', system_status: 5 }),
  // `is_expired` is cleared, because otherwise the schedule would start the service again and again.
  'start-service': () => ({ fault: 'failed', system_status: 5, is_expired: false }),
}

/** Returns the fault that the problem of a failed operation names. */
function getReason({ code, data }: ProblemError): ServiceFault | null {
  if (code === 'NO_MEMORY') return 'no_memory'
  return serviceFaults.find((fault) => fault === (data as { why?: unknown } | null)?.why) ?? null
}

/**
 * Returns null unless the previous version runs or the service stays stopped, because the deployment was rolled back or the host has refused
 * to begin it. The row then says so.
 */
function getGivenUpFields({ kind, fence }: OperationInput, point: OperationPoint | null): ServiceFields | null {
  const { state = null, givenUp } = point ?? {}
  if (kind === 'create-service' || !state) return null
  const deployment = findDeployment(state, fence)
  if (deployment) return deployment.state === 'rolled_back' ? toObservedFields(state) : null
  if (!givenUp) return null
  return { ...toObservedFields(state, givenUp.fault), ...(kind === 'start-service' && { is_expired: false }) }
}

/** Returns the service in its current state, or null if it no longer exists. Runs as the system role. */
export async function settleOperation(
  db: DatabaseHandle,
  { app, input, point }: { app: AppContext; input: OperationInput; point: OperationPoint | null },
  problem: ProblemError | null,
): Promise<ServiceResponse | null> {
  const now = app.clock()
  const { serviceId, companyId, code, kind } = input
  // The company's counter is locked before the services' counter, in the same order as in transactions of orders.
  const change = await takeChangeNumber(db, companyId)
  const fields = problem
    ? (getGivenUpFields(input, point) ?? failedFields[kind]?.(getReason(problem)))
    : finishedFields[kind]({
        config: input.config,
        point: point ?? { next: 0 },
        observedFields: toObservedFields(point?.state ?? null),
        eraseDate: addDays(toPlainDate(app.config.timeZone, now), hostingDays.dataRetention),
        now,
      })
  const is_reported_down = await settleOutage(db, serviceId, fields, now)
  await updateService(db, serviceId, { ...fields, is_reported_down, operation: null }, now)
  const apps = kind === 'delete-service' ? {} : point?.apps
  if (problem === null && apps)
    await replaceServiceApps(db, { id: serviceId, companyId }, new Map(Object.entries(apps)))
  if (problem !== null && kind === 'create-service') await deletePassword(db, serviceId)
  await updateListedOrder(db, companyId, code, { change, time: now })
  if (problem) await addFailureEntry(db, input, problem, now)
  const row = await findServiceRow(db, companyId, serviceId)
  return row && toServiceResponse(app, row, getBusinessMoment({ app, now }), input.toProvider)
}

/** Reports an outage that the operation has ended or revealed. Returns whether users know of one afterwards. */
async function settleOutage(
  db: DatabaseHandle,
  serviceId: number,
  fields: ServiceFields | undefined,
  now: number,
): Promise<boolean> {
  const service = await lockService(db, serviceId)
  if (!service) return false
  const { online = service.online, fault = service.fault, system_status = service.system_status } = fields ?? {}
  const is_reported_down = isOutageReported({ ...service, online, fault, system_status })
  await reportOutage(db, service, { system_status, is_reported_down }, now)
  return is_reported_down
}

async function addFailureEntry(
  db: DatabaseHandle,
  { companyId, userCompanyId, userId, requestId, intent, trail: trailEntry }: OperationInput,
  { code: problem }: ProblemError,
  now: number,
): Promise<void> {
  const entryHeader = {
    companyId: userId === 0 ? companyId : userCompanyId,
    userId: userId || null,
    now,
    status: -1,
    intent,
    requestId,
  } as const
  const { code = 'service', operation, info, ...log } = trailEntry
  await addAuditEntries(db, entryHeader, [{ code, operation, info: { ...info, problem }, ...log }])
}
