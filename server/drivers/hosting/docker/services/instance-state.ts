/** Derives the state of a service from its record, its Swarm service and its tasks. Only calculations. */
import type {
  Deployment,
  InstanceAddress,
  InstanceConfig,
  InstanceFault,
  InstanceState,
  TaskState,
} from '#server/drivers/hosting/hosting-driver.ts'
import type {
  EndedContainer,
  EngineNode,
  EngineService,
  EngineTask,
} from '#server/drivers/hosting/docker/engine/engine-types.ts'
import { labels } from '#server/drivers/hosting/docker/engine/object-names.ts'
import {
  getWantedSetting,
  isRolledBackBySwarm,
  rollBackRecord,
  type SwarmRecord,
} from '#server/drivers/hosting/docker/records/service-record.ts'
import { findFault } from '#server/drivers/hosting/docker/services/find-fault.ts'
import {
  getSettingNumber,
  hasContainer,
  isTaskHealthy,
  mayRun,
} from '#server/drivers/hosting/docker/services/task-states.ts'
import { getTaskCount } from '#server/drivers/hosting/machine-memory.ts'

export interface StateInput {
  record: SwarmRecord
  service: EngineService | null
  /** Current tasks of the service, and earlier ones if it is not healthy. */
  tasks: readonly EngineTask[]
  nodesById: ReadonlyMap<string, EngineNode>
  containersById: ReadonlyMap<string, EndedContainer>
  address: InstanceAddress
  now: number
}

const megabyte = 1024 * 1024

/** Returns the reason why the tasks with a setting do not run. */
function findSettingFault(input: StateInput, number: number): InstanceFault | null {
  const { record, tasks, nodesById, containersById, now } = input
  const wasHealthy = !(record.deployment?.number === number && record.deployment.state === 'in_progress')
  return findFault({ tasks, number, node: record.node, nodesById, containersById, wasHealthy, now })
}

/** Returns the record as it is after a rollback by the Swarm. */
export function settleRecord(input: StateInput): SwarmRecord {
  const { record, service } = input
  if (!record.deployment || !isRolledBackBySwarm(record, service)) return record
  const { number, fence } = record.deployment
  return rollBackRecord(record, fence, findSettingFault(input, number) ?? 'keeps_ending', false)
}

/** Returns the tasks to display: one of each number. While a task is replaced, this is the old one until the new one is healthy. */
function listCurrentTasks(tasks: readonly EngineTask[], nodesById: ReadonlyMap<string, EngineNode>): EngineTask[] {
  const tasksByNumber = new Map<number, EngineTask>()
  for (const task of tasks) {
    const isCurrent = hasContainer(task) && task.DesiredState === 'running' && mayRun(task, nodesById)
    if (!isCurrent) continue
    const otherTask = tasksByNumber.get(task.Slot ?? 1)
    if (!otherTask || isPreferred(task, otherTask)) tasksByNumber.set(task.Slot ?? 1, task)
  }
  return [...tasksByNumber.values()].toSorted((a, b) => (a.Slot ?? 1) - (b.Slot ?? 1))
}

function isPreferred(task: EngineTask, otherTask: EngineTask): boolean {
  if (isTaskHealthy(task) !== isTaskHealthy(otherTask)) return isTaskHealthy(task)
  return getSettingNumber(task) > getSettingNumber(otherTask)
}

export function toInstanceState(input: StateInput): InstanceState {
  const record = settleRecord(input)
  const { tasks, nodesById, address } = input
  const setting = getWantedSetting(record)
  const currentTasks = setting ? listCurrentTasks(tasks, nodesById) : []
  const oldestTask = currentTasks.toSorted((a, b) => Date.parse(a.CreatedAt) - Date.parse(b.CreatedAt))[0]
  const isHealthy = currentTasks.some(isTaskHealthy)
  const getFault = (number: number) => findSettingFault(input, number)
  const deployment = setting ? toDeployment(record, tasks, nodesById, getFault) : null
  const shouldRun = setting !== null && getTaskCount(setting.config) > 0
  return {
    serviceId: record.serviceId,
    code: record.code,
    created: record.created,
    wanted: record.wanted,
    config: record.config,
    active: setting?.config ?? null,
    running: oldestTask ? readTaskConfig(oldestTask) : null,
    apps: record.apps.map(({ code, version }) => ({ code, version })),
    tasks: currentTasks.map(toTaskState),
    healthy: isHealthy,
    fault: isHealthy ? getRollbackFault(deployment) : shouldRun ? getFault(setting.number) : null,
    deployment,
    address,
  }
}

const getRollbackFault = (deployment: Deployment | null) =>
  deployment?.state === 'rolled_back' ? deployment.fault : null

function toDeployment(
  { deployment, active }: SwarmRecord,
  tasks: readonly EngineTask[],
  nodesById: ReadonlyMap<string, EngineNode>,
  getFault: (number: number) => Deployment['fault'],
): Deployment | null {
  if (!deployment || !active) return null
  const healthyTasks = tasks.filter(
    (task) => getSettingNumber(task) === deployment.number && isTaskHealthy(task) && mayRun(task, nodesById),
  ).length
  const wantedTasks = getTaskCount(active.config)
  const isComplete = healthyTasks >= wantedTasks
  const fault =
    deployment.state === 'in_progress' && !isComplete
      ? (getFault(deployment.number) ?? deployment.fault)
      : deployment.fault
  return {
    fence: deployment.fence,
    state: deployment.state,
    healthyTasks: deployment.state === 'rolled_back' ? 0 : Math.min(healthyTasks, wantedTasks),
    wantedTasks,
    fault,
  }
}

function readTaskConfig({ Spec }: EngineTask): InstanceConfig {
  const taskLabels = Spec.ContainerSpec.Labels ?? {}
  return { memoryMb: Number(taskLabels[labels.memory] ?? 0), tasks: Number(taskLabels[labels.tasks] ?? 1) }
}

const toTaskState = (task: EngineTask): TaskState => ({
  number: task.Slot ?? 1,
  started: Date.parse(task.CreatedAt),
  limitMb: Math.round((task.Spec.Resources?.Limits?.MemoryBytes ?? 0) / megabyte),
  usedMb: null,
  healthy: isTaskHealthy(task),
})

/** Whether the earlier tasks of a service are needed to explain its state. */
export function needsHistory(
  record: SwarmRecord,
  service: EngineService | null,
  tasks: readonly EngineTask[],
): boolean {
  const setting = getWantedSetting(record)
  if (!setting || !service) return false
  if (record.deployment?.state === 'in_progress') {
    const { number } = record.deployment
    const healthyTasks = tasks.filter((task) => getSettingNumber(task) === number && isTaskHealthy(task))
    return healthyTasks.length < getTaskCount(setting.config)
  }
  return getTaskCount(setting.config) > 0 && !tasks.some(isTaskHealthy)
}
