/** Records, tasks and nodes for tests of the driver `docker`. The tasks are recorded answers of a Docker Engine 20.10. */
import type { EngineNode, EngineService, EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import type { SwarmRecord } from '#server/drivers/hosting/docker/records/service-record.ts'
import recordedText from '#tests/server/drivers/hosting/docker/recorded-tasks.json' with { type: 'json' }

type TaskKind = keyof typeof recordedText.tasks

export const createRecord = (overrides: Partial<SwarmRecord> = {}): SwarmRecord => ({
  format: 1,
  serviceId: 13,
  code: 'shop13',
  name: 'Shop',
  fence: 1,
  revision: 1,
  created: true,
  erased: 'no',
  hadData: false,
  hasPassword: false,
  wanted: 'stopped',
  config: { memoryMb: 0, tasks: 1 },
  apps: [],
  active: null,
  lastNumber: 0,
  deployment: null,
  node: null,
  pausedUntil: null,
  ...overrides,
})

/** Returns the recorded tasks, with another number of their setting. */
export const readTasks = (kind: TaskKind, number = 1): EngineTask[] =>
  (structuredClone(recordedText.tasks[kind]) as unknown as EngineTask[]).map((task) => ({
    ...task,
    Spec: { ...task.Spec, ForceUpdate: number },
  }))

export const readRolledBackService = (): EngineService =>
  structuredClone(recordedText.rolledBackService) as unknown as EngineService

export const recordedNodeId = readTasks('running')[0]?.NodeID ?? ''

export const createNode = (id: string, overrides: Partial<EngineNode> = {}): EngineNode => ({
  ID: id,
  Spec: { Availability: 'active' },
  Description: { Resources: { MemoryBytes: 1024 * 1024 * 1024 } },
  Status: { State: 'ready', Addr: '10.0.0.5' },
  ...overrides,
})

export const nodesById = new Map([[recordedNodeId, createNode(recordedNodeId)]])
