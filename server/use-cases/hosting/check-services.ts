/** Runs the health check: stores the observed state of services when it has changed (D40). */
import { configLimits } from '#domain/hosting.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import {
  listMonitoredServices,
  type MonitoredService,
  lockService,
  updateService,
} from '#server/db/hosting/services.ts'
import { updateListedOrder } from '#server/db/orders/orders.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  type Deployment,
  HostingError,
  type InstanceConfig,
  type InstanceState,
} from '#server/drivers/hosting/hosting-driver.ts'
import { createUnavailableProblem, ProblemError } from '#server/problems/problem-error.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { isOutageReported, reportOutage } from '#server/use-cases/hosting/outages.ts'

type ObservedFields = Pick<
  MonitoredService,
  'online' | 'running_memory' | 'running_tasks' | 'needs_reboot' | 'fault' | 'deployment_fault' | 'system_status'
>

/**
 * A `state` of null means that a service that should run has no instance on the host. `knownFault` is the deployment fault of the row: it
 * stays until the next start, which clears it, because a host does not know of a start that was refused.
 */
export function toObservedFields(
  state: InstanceState | null,
  knownFault: ObservedFields['deployment_fault'] = null,
): ObservedFields {
  if (!state?.created)
    return {
      online: 0,
      running_memory: null,
      running_tasks: 0,
      needs_reboot: false,
      fault: 'failed',
      deployment_fault: null,
      system_status: 5,
    }
  const { tasks, config, healthy, active, deployment } = state
  const deploymentFault = getDeploymentFault(deployment) ?? knownFault
  // A healthy service has the fault of its deployment, and it is shown as such: the previous version keeps running.
  const fault = healthy && state.fault === deploymentFault ? null : state.fault
  return {
    online: healthy ? 1 : 0,
    running_memory: tasks[0]?.limitMb ?? null,
    // During a replacement there can be one more.
    running_tasks: Math.min(configLimits.maxTasks, tasks.length),
    needs_reboot: active !== null && !isSameConfig(active, config),
    fault,
    deployment_fault: deploymentFault,
    system_status: getStatus(state, fault),
  }
}
function getStatus({ active, tasks, healthy }: InstanceState, fault: ObservedFields['fault']): number {
  const isStopped = (active === null || active.tasks === 0) && tasks.length === 0
  if (isStopped) return 4
  if (healthy) return 2
  return fault === null ? 3 : 5
}

/** The host forgets the fault at the next operation, even if that is not a start. */
const getDeploymentFault = (deployment: Deployment | null) =>
  deployment?.state === 'rolled_back' ? deployment.fault : null

const isSameConfig = (a: InstanceConfig, b: InstanceConfig) =>
  a.tasks === b.tasks && (a.memoryMb === b.memoryMb || b.tasks === 0)

type CheckedFields = ObservedFields & Pick<MonitoredService, 'is_reported_down'>

const hasSameFields = (a: CheckedFields, b: CheckedFields) =>
  (Object.keys(b) as (keyof CheckedFields)[]).every((field) => a[field] === b[field])

export interface HealthCheckResult {
  checked: number
  online: number
  changed: number
}

/**
 * Does not change a service with a running operation. The node that runs services also removes instances that interrupted operations left
 * behind, of services that should have no instance, and it records that its host does not respond. On another node this throws UNAVAILABLE.
 * With `HOSTING=docker` only the scheduled check does both, because it runs on one node. Throws NOT_SUPPORT if the portal runs no services.
 */
export async function checkServices(
  app: AppContext,
  companyId: number | null = null,
  { isScheduled = false } = {},
): Promise<HealthCheckResult> {
  const { hosting } = app.config
  if (hosting === 'off') throw new ProblemError('NOT_SUPPORT')
  const isResponsible = isResponsibleNode(app, isScheduled)
  // The rows are read before the states. If another node has written a newer state in between, the row's version differs.
  const knownServices = await readAsSystem(app, listMonitoredServices)
  const { states, isThrottled } = await readStates(app, isResponsible)
  const checkedServices = knownServices.filter((row) => companyId === null || row.company_id === companyId)
  const statesById = new Map(states?.map((state) => [state.serviceId, state]))
  const result: HealthCheckResult = { checked: 0, online: 0, changed: 0 }
  for (const row of checkedServices) {
    if (row.system_status === 0) continue
    result.checked += 1
    const checkedFields: CheckedFields = states
      ? withOutage(row, toObservedFields(statesById.get(row.id) ?? null, row.deployment_fault))
      : toUnknownFields(row, isThrottled)
    result.online += checkedFields.online
    if (row.operation !== null || hasSameFields(row, checkedFields)) continue
    if (!(await writeAsSystem(app, (db) => writeObserved(db, app, row, checkedFields)))) continue
    result.changed += 1
    announceServices(app, row.company_id)
  }
  if (states && isResponsible) await removeUnneededSystems(app, knownServices, states)
  return result
}

/** Whether this check may store that the host does not respond, and remove instances. */
const isResponsibleNode = ({ config: { hosting } }: AppContext, isScheduled: boolean) =>
  hosting === 'local' || (hosting === 'docker' && isScheduled)

interface KnownStates {
  /** Null if the host does not respond and this node may store that. */
  states: InstanceState[] | null
  isThrottled: boolean
}

/** Throws UNAVAILABLE if the host does not respond and this node may not store that. */
async function readStates(app: AppContext, isResponsible: boolean): Promise<KnownStates> {
  try {
    return { states: await app.hosting.lookAll(), isThrottled: false }
  } catch (error) {
    if (!(error instanceof HostingError)) throw error
    // The connection of this node alone says nothing about the services.
    if (!isResponsible) throw createUnavailableProblem(10)
    return { states: null, isThrottled: error.fault === 'throttled' }
  }
}

const withOutage = ({ is_reported_down }: MonitoredService, fields: ObservedFields): CheckedFields => ({
  ...fields,
  is_reported_down: isOutageReported({ ...fields, is_reported_down }),
})

/**
 * Returns the previous values with the reason why the state is unknown. If the host does not respond at all, the service is not online. Users
 * get no report of that: it says nothing about their services, and each of them would get one for each service.
 */
const toUnknownFields = (
  {
    online,
    running_memory,
    running_tasks,
    needs_reboot,
    deployment_fault,
    system_status,
    is_reported_down,
  }: MonitoredService,
  isThrottled: boolean,
): CheckedFields => ({
  online: isThrottled ? online : 0,
  running_memory,
  running_tasks,
  needs_reboot,
  fault: isThrottled ? 'throttled' : 'unreachable',
  deployment_fault,
  system_status,
  is_reported_down,
})

/** Returns false if another transaction has changed the row in between. */
async function writeObserved(
  db: DatabaseHandle,
  app: AppContext,
  row: MonitoredService,
  checkedFields: CheckedFields,
): Promise<boolean> {
  const now = app.clock()
  const lockedService = await lockService(db, row.id)
  if (!lockedService || lockedService.row_version !== row.row_version) return false
  // The company's counter is locked before the services' counter, in the same order as in transactions of orders.
  const change = await takeChangeNumber(db, row.company_id)
  await reportOutage(db, row, checkedFields, now)
  await updateService(db, row.id, checkedFields, now)
  await updateListedOrder(db, row.company_id, row.code, { change, time: now })
  return true
}

async function removeUnneededSystems(
  app: AppContext,
  knownServices: readonly MonitoredService[],
  states: readonly InstanceState[],
) {
  const servicesById = new Map(knownServices.map((row) => [row.id, row]))
  for (const state of states) {
    const row = servicesById.get(state.serviceId)
    if (!state.created || !row || row.system_status !== 0 || row.operation !== null) continue
    const { serviceId, code } = state
    await app.hosting.remove({ serviceId, code }, { fence: row.fence }).catch((error: unknown) => {
      app.log.warn(
        { event: 'orphaned_instance_removal_failed', err: error, service: code },
        'could not remove an instance that has no service',
      )
    })
  }
}
