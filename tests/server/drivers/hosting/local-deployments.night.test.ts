/** Tests deployments of the local driver: the version that ran keeps running until the new one is healthy, and comes back if it never is. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { InstanceApp, InstanceConfig, InstanceRef, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import {
  beginDeployment,
  getNextActive,
  rollBackDeployment,
  toDeploymentState,
} from '#server/drivers/hosting/local/instances/deployments.ts'
import type { InstanceRecord } from '#server/drivers/hosting/local/instances/files.ts'
import { faultyMemoryMb } from '#tests/support/hosting/faulty-program.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import {
  faultyProgram,
  findSupervisors,
  findTasks,
  type LocalUnderTest,
  openLocalHosting,
  sendRequest,
  waitUntil,
  waitUntilHealthy,
} from '#tests/support/hosting/hosting.ts'

vi.setConfig({ testTimeout: 60_000 })

const ref: InstanceRef = { serviceId: 12, code: 'acmetrade' }
const withFence = (fence: number) => ({ fence })
const createApp = (version: string): InstanceApp => ({
  code: 'pay',
  name: 'Pay',
  version,
  module: 'crm',
  flags: {},
  package: null,
})

describe('a deployment of the local driver', () => {
  let host: LocalUnderTest
  afterEach(() => host.end())

  const look = async (): Promise<InstanceState> => {
    const state = await host.driver.look(ref)
    if (!state) throw new Error('there is no instance')
    return state
  }
  const waitForState = (description: string, check: (state: InstanceState) => boolean) =>
    waitUntil(description, async () => {
      const state = await look()
      return check(state) && state
    })
  const listStarts = ({ tasks }: InstanceState) => tasks.map(({ started }) => started)
  const listTaskPids = () =>
    findTasks(host.folder)
      .map(({ pid }) => pid)
      .toSorted()

  async function startInstance(config: InstanceConfig, settings: Parameters<typeof openLocalHosting>[0] = {}) {
    host = openLocalHosting({ program: faultyProgram, ...settings })
    await host.driver.prepare(ref, { name: 'Trading', config }, withFence(1))
    await host.driver.install(ref, [createApp('1.0')], withFence(1))
    await host.driver.start(ref, { fresh: false }, withFence(1))
    await waitUntilHealthy(host.driver, ref, config.tasks)
    await host.driver.switchOver(ref, withFence(1))
    return await look()
  }
  async function restartWith(config: InstanceConfig, fence: number) {
    await host.driver.configure(ref, config, withFence(fence))
    await host.driver.start(ref, { fresh: true }, withFence(fence))
  }

  it('keeps the only task until the new one is healthy, so that no request fails', async () => {
    const state = await startInstance({ memoryMb: 0, tasks: 1 })
    expect(state.deployment).toEqual({
      fence: 1,
      state: 'completed',
      healthyTasks: 1,
      wantedTasks: 1,
      fault: null,
    })
    const statuses: number[] = []
    let isDone = false
    const polls = (async () => {
      while (!isDone) {
        statuses.push((await sendRequest(state.address.url, '/sign-in')).status)
        await wait(10)
      }
    })()
    await restartWith({ memoryMb: 1000, tasks: 1 }, 2)
    expect((await look()).deployment).toMatchObject({ fence: 2, state: 'in_progress', wantedTasks: 1 })
    const newState = await waitForState('the new task', ({ tasks }) => tasks[0]?.limitMb === 1000)
    expect(newState).toMatchObject({ healthy: true, deployment: { state: 'in_progress', healthyTasks: 1 } })
    isDone = true
    await polls
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    for (let time = 0; time < 2; time++) await host.driver.switchOver(ref, withFence(2))
    // A completed deployment is not rolled back any more.
    await host.driver.rollBack(ref, 'no_answer', withFence(2))
    expect(await look()).toMatchObject({
      running: { memoryMb: 1000 },
      fault: null,
      deployment: { fence: 2, state: 'completed', fault: null },
    })
    await waitUntil('one process', () => listTaskPids().length === 1)
  })

  it('returns to the tasks and apps that ran before, and keeps the fault until the next start', async () => {
    const state = await startInstance({ memoryMb: 0, tasks: 2 })
    const pids = listTaskPids()
    await host.driver.install(ref, [createApp('2.0')], withFence(2))
    await restartWith({ memoryMb: faultyMemoryMb.ends, tasks: 2 }, 2)
    await waitUntil('a task that ended', async () => {
      const lines = await Array.fromAsync(host.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
      return lines.some(({ text }) => text === 'task 1 ended')
    })
    const deployment = { state: 'in_progress', healthyTasks: 0, wantedTasks: 2 }
    expect(await look()).toMatchObject({ healthy: true, fault: null, deployment })
    await expect(host.driver.rollBack(ref, 'no_image', withFence(1))).rejects.toMatchObject({ fault: 'overtaken' })
    for (let time = 0; time < 2; time++) await host.driver.rollBack(ref, 'keeps_ending', withFence(2))
    const rolledBackState = await look()
    expect(rolledBackState).toMatchObject({
      config: { memoryMb: faultyMemoryMb.ends, tasks: 2 },
      active: { memoryMb: 0, tasks: 2 },
      running: { memoryMb: 0, tasks: 2 },
      apps: [{ code: 'pay', version: '1.0' }],
      healthy: true,
      fault: 'keeps_ending',
      deployment: { fence: 2, state: 'rolled_back', fault: 'keeps_ending' },
    })
    expect(listStarts(rolledBackState)).toEqual(listStarts(state))

    for (const { pid } of findSupervisors(host.folder)) process.kill(pid, 'SIGKILL')
    expect(await waitForState('the same tasks', ({ tasks }) => tasks.every(({ healthy }) => healthy))).toMatchObject({
      fault: 'keeps_ending',
      deployment: { fence: 2, state: 'rolled_back' },
    })
    await waitUntil('the same processes', () => listTaskPids().join() === pids.join())
    // A delayed call of the operation that was rolled back does not begin it again.
    await expect(host.driver.start(ref, { fresh: true }, withFence(2))).rejects.toMatchObject({ fault: 'overtaken' })
    await expect(host.driver.install(ref, [], withFence(2))).rejects.toMatchObject({ fault: 'overtaken' })
    await host.driver.switchOver(ref, withFence(2))
    expect((await look()).deployment?.state).toBe('rolled_back')

    await restartWith({ memoryMb: 1100, tasks: 2 }, 3)
    const newState = await waitForState('two new tasks', ({ deployment }) => deployment?.healthyTasks === 2)
    expect(newState).toMatchObject({ fault: null, deployment: { fence: 3, state: 'in_progress', fault: null } })
    await waitForState('only new tasks', ({ tasks }) => tasks.every(({ limitMb }) => limitMb === 1100))
  })

  nightly('reports that the new tasks keep ending, while the old ones stay healthy', async () => {
    await startInstance({ memoryMb: 0, tasks: 2 })
    await restartWith({ memoryMb: faultyMemoryMb.ends, tasks: 2 }, 2)
    const state = await waitForState('the fault', ({ deployment }) => deployment?.fault === 'keeps_ending')
    expect(state).toMatchObject({ healthy: true, fault: null, tasks: [{ limitMb: 256 }, { limitMb: 256 }] })
  })

  it('continues after its supervisor was killed while the old and the new task run', async () => {
    const state = await startInstance({ memoryMb: 0, tasks: 1 })
    await restartWith({ memoryMb: faultyMemoryMb.neverResponds, tasks: 1 }, 2)
    await waitUntil('two processes', () => listTaskPids().length === 2)
    for (let time = 0; time < 3; time++) {
      for (const { pid } of findSupervisors(host.folder)) process.kill(pid, 'SIGKILL')
      expect(await look()).toMatchObject({ deployment: { fence: 2, state: 'in_progress' } })
    }
    expect(listStarts(await waitUntilHealthy(host.driver, ref))).toEqual(listStarts(state))
    expect(listTaskPids()).toHaveLength(2)
    await host.driver.rollBack(ref, 'not_healthy', withFence(2))
    await waitUntil('one process', () => listTaskPids().length === 1)
    expect(await look()).toMatchObject({ healthy: true, fault: 'not_healthy', tasks: [{ limitMb: 256 }] })
    expect(listStarts(await look())).toEqual(listStarts(state))
  })

  it('stops the old task first if there is no memory for both, and starts it again at the rollback', async () => {
    await startInstance({ memoryMb: 1000, tasks: 1 }, { memoryMb: 1500 })
    await restartWith({ memoryMb: faultyMemoryMb.ends, tasks: 1 }, 2)
    await waitForState('no healthy task', ({ healthy }) => !healthy)
    await host.driver.rollBack(ref, 'keeps_ending', withFence(2))
    const state = await waitUntilHealthy(host.driver, ref)
    expect(state).toMatchObject({ tasks: [{ limitMb: 1000 }], fault: 'keeps_ending' })
    expect(listTaskPids()).toHaveLength(1)
  })

  it('keeps the new tasks of a first start, and reports why they are not healthy', async () => {
    host = openLocalHosting({ program: faultyProgram, times: { beginMs: 300 } })
    await host.driver.prepare(
      ref,
      { name: '', config: { memoryMb: faultyMemoryMb.neverResponds, tasks: 1 } },
      withFence(1),
    )
    expect((await look()).deployment).toBeNull()
    await host.driver.start(ref, { fresh: false }, withFence(1))
    await waitForState('the fault', ({ deployment }) => deployment?.fault === 'not_healthy')
    await host.driver.rollBack(ref, 'not_healthy', withFence(1))
    expect(await look()).toMatchObject({
      wanted: 'running',
      active: { memoryMb: faultyMemoryMb.neverResponds },
      deployment: { fence: 1, state: 'in_progress' },
    })
    await host.driver.stop(ref, withFence(2))
    expect((await look()).deployment).toBeNull()
  })
})

describe('the record of a deployment', () => {
  const setting = { number: 4, fence: 7, config: { memoryMb: 0, tasks: 1 }, apps: [] }
  const record = { wanted: 'running', active: setting, config: setting.config, apps: [] } as unknown as InstanceRecord
  const begin = (current: InstanceRecord, fence: number, isHealthy = true) =>
    beginDeployment(current, getNextActive(current, true, fence), { isHealthy, now: 1000 })

  it('returns to the last setting whose tasks were healthy', () => {
    const first = { ...record, active: getNextActive(record, true, 8), deployment: begin(record, 8) }
    expect(first.deployment).toMatchObject({ fence: 8, setting: 5, previous: setting })
    expect(begin(first, 9, false).previous).toBe(setting)
    expect(begin(first, 9, true).previous).toBe(first.active)
    const rolledBack = { ...first, ...rollBackDeployment(first, 'no_answer', 8) }
    // Tasks of setting 5 may still run, so the next setting has another number.
    expect([rolledBack.active, getNextActive(rolledBack, true, 9).number]).toEqual([setting, 6])
    expect(begin({ ...record, wanted: 'stopped' }, 8).previous).toBeNull()
  })

  it('names the reason why tasks are not healthy only after the time that a start may take', () => {
    const deployment = begin(record, 8)
    const times = { now: 5000, beginMs: 10_000 }
    const noTasks = { healthyCount: 0, fault: null }
    expect(toDeploymentState(deployment, 2, noTasks, times).fault).toBeNull()
    expect(toDeploymentState(deployment, 2, noTasks, { ...times, beginMs: 100 }).fault).toBe('not_healthy')
    const oneTask = { healthyCount: 1, fault: 'keeps_ending' } as const
    expect(toDeploymentState(deployment, 2, oneTask, times)).toMatchObject({ healthyTasks: 1, fault: 'keeps_ending' })
    expect(toDeploymentState(deployment, 1, oneTask, times)).toMatchObject({ healthyTasks: 1, fault: null })
  })
})
