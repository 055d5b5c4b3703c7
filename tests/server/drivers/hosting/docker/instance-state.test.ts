import { describe, expect, it } from 'vitest'
import type { InstanceFault } from '#server/drivers/hosting/hosting-driver.ts'
import type { EngineService, EngineTask } from '#server/drivers/hosting/docker/engine/engine-types.ts'
import {
  completeDeployment,
  type SwarmRecord,
  startRecord,
  stopRecord,
} from '#server/drivers/hosting/docker/records/service-record.ts'
import {
  needsHistory,
  type StateInput,
  toInstanceState,
} from '#server/drivers/hosting/docker/services/instance-state.ts'
import { toRoute } from '#server/drivers/hosting/docker/watch-states.ts'
import {
  createNode,
  createRecord,
  nodesById,
  readRolledBackService,
  readTasks,
  recordedNodeId,
} from '#tests/server/drivers/hosting/docker/docker-fixture.ts'

const config = { memoryMb: 300, tasks: 2 }
const start = (record: SwarmRecord, fence: number) =>
  startRecord({ ...record, fence }, { fresh: true, fence, image: 'shop:1', earlierUpdate: null, isHealthy: true })
const startedRecord = start(createRecord({ config }), 2)
const runningRecord = completeDeployment(startedRecord, 2)
const service = { UpdateStatus: undefined, Spec: { TaskTemplate: { ForceUpdate: 1 } } } as unknown as EngineService

const createInput = (record: SwarmRecord, tasks: EngineTask[], overrides: Partial<StateInput> = {}): StateInput => ({
  record,
  service,
  tasks,
  nodesById,
  containersById: new Map(),
  address: { url: 'http://www.shop13.localhost/', adminUrl: 'http://admin.shop13.localhost/' },
  now: Date.parse('2026-11-29T23:12:20Z'),
  ...overrides,
})
const getState = (...args: Parameters<typeof createInput>) => toInstanceState(createInput(...args))

describe('the state of a service in the Swarm', () => {
  it('has the running tasks with the settings that they were started with', () => {
    const tasks = readTasks('running')
    for (const task of tasks) task.Spec.ContainerSpec.Labels = { 'portal.memory': '300', 'portal.tasks': '2' }
    expect(getState(runningRecord, tasks)).toMatchObject({
      created: true,
      wanted: 'running',
      active: config,
      running: config,
      healthy: true,
      fault: null,
      tasks: [
        { number: 1, limitMb: 256, healthy: true, started: Date.parse(tasks[1]?.CreatedAt ?? '') },
        { number: 2, limitMb: 256, healthy: true },
      ],
      deployment: { fence: 2, state: 'completed', healthyTasks: 2, wantedTasks: 2, fault: null },
    })
  })

  const faults: [Parameters<typeof readTasks>[0], InstanceFault][] = [
    ['exits', 'keeps_ending'],
    ['outOfMemory', 'out_of_memory'],
    ['unhealthy', 'not_healthy'],
    ['tooLittleMemory', 'no_memory'],
    ['wrongNode', 'node_lost'],
    ['missingImage', 'no_image'],
  ]
  it.each(faults)('explains tasks of the kind "%s" as %s', (kind, fault) => {
    const state = getState(startedRecord, readTasks(kind))
    expect(state).toMatchObject({ healthy: false, fault, deployment: { state: 'in_progress', healthyTasks: 0, fault } })
  })

  it('distinguishes a task that stopped responding from one that was never healthy', () => {
    expect(getState(runningRecord, readTasks('unhealthy')).fault).toBe('no_answer')
  })

  it('reads from the container of this machine why it ended', () => {
    const [task] = readTasks('outOfMemory')
    const id = task?.Status.ContainerStatus?.ContainerID ?? ''
    const getFault = (end: { isOutOfMemory: boolean; isUnhealthy: boolean }) =>
      getState(startedRecord, task ? [task] : [], { containersById: new Map([[id, end]]) }).fault
    expect(getFault({ isOutOfMemory: true, isUnhealthy: false })).toBe('out_of_memory')
    expect(getFault({ isOutOfMemory: false, isUnhealthy: false })).toBe('keeps_ending')
    expect(getFault({ isOutOfMemory: false, isUnhealthy: true })).toBe('not_healthy')
  })

  it('reports a lost node, and counts none of its tasks', () => {
    const lostNode = createNode(recordedNodeId, { Status: { State: 'down' } })
    const record = { ...runningRecord, node: recordedNodeId }
    const state = getState(record, readTasks('running'), { nodesById: new Map([[recordedNodeId, lostNode]]) })
    expect(state).toMatchObject({ healthy: false, tasks: [], fault: 'node_lost', deployment: { healthyTasks: 0 } })
    expect(getState(record, [], { nodesById: new Map() }).fault).toBe('node_lost')
  })

  it('lists the old task of a number until the new one is healthy', () => {
    const [oldTask] = readTasks('running', 1)
    const [newTask] = readTasks('running', 2)
    if (!oldTask || !newTask) throw new Error('no tasks are recorded')
    newTask.CreatedAt = '2026-11-29T23:12:00Z'
    const record = start(runningRecord, 3)
    const startingTask = { ...newTask, Status: { ...newTask.Status, State: 'starting' } }
    const oldState = getState(record, [startingTask, oldTask])
    expect(oldState.tasks).toMatchObject([{ started: Date.parse(oldTask.CreatedAt), healthy: true }])
    expect(oldState.deployment?.healthyTasks).toBe(0)
    const newState = getState(record, [newTask, oldTask])
    expect(newState.tasks).toMatchObject([{ started: Date.parse(newTask.CreatedAt), healthy: true }])
    expect(newState.deployment?.healthyTasks).toBe(1)
  })

  it('shows a rollback by the Swarm before it is stored: the previous version runs, with the fault of the new one', () => {
    const record = start({ ...runningRecord, lastNumber: 2, active: { ...runningRecord.active!, number: 2 } }, 3)
    const tasks = [...readTasks('running', 2), ...readTasks('exits', 3)]
    expect(getState(record, tasks, { service: readRolledBackService() })).toMatchObject({
      healthy: true,
      fault: 'keeps_ending',
      active: config,
      deployment: { fence: 3, state: 'rolled_back', healthyTasks: 0, fault: 'keeps_ending' },
    })
  })

  it('has neither tasks nor a deployment when it is stopped', () => {
    const state = getState(stopRecord(runningRecord), readTasks('running'))
    expect(state).toMatchObject({ wanted: 'stopped', active: null, running: null, tasks: [], deployment: null })
    expect(state).toMatchObject({ healthy: false, fault: null })
  })

  it('needs earlier tasks only to explain a problem', () => {
    expect(needsHistory(runningRecord, service, readTasks('running'))).toBe(false)
    expect(needsHistory(runningRecord, service, [])).toBe(true)
    expect(needsHistory(startedRecord, service, readTasks('running'))).toBe(false)
    expect(needsHistory(startedRecord, service, readTasks('running').slice(1))).toBe(true)
    expect(needsHistory(stopRecord(runningRecord), service, [])).toBe(false)
  })
})

describe('the route of a service', () => {
  it('has the published ports of healthy tasks at the address of their node', () => {
    const input = createInput(runningRecord, readTasks('running'))
    const targets = [{ port: 32_777 }, { port: 32_778 }]
    expect(toRoute(input, null)).toEqual([
      { code: 'shop13', shouldRun: true, targets: targets.map((target) => ({ host: '10.0.0.5', ...target })) },
    ])
    expect(toRoute(input, '127.0.0.1')[0]?.targets[0]?.host).toBe('127.0.0.1')
    expect(toRoute({ ...input, nodesById: new Map() }, null)[0]?.targets).toEqual([])
  })

  it('uses the address of the manager if a node has none', () => {
    const node = createNode(recordedNodeId, {
      Status: { State: 'ready', Addr: '0.0.0.0' },
      ManagerStatus: { Addr: '10.0.0.9:2377' },
    })
    const input = createInput(runningRecord, readTasks('running'), { nodesById: new Map([[recordedNodeId, node]]) })
    expect(toRoute(input, null)[0]?.targets[0]?.host).toBe('10.0.0.9')
  })

  it('is missing for a removed service, whose code another one may use', () => {
    expect(toRoute(createInput({ ...runningRecord, created: false }, []), null)).toEqual([])
  })
})
