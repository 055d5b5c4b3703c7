/** Tests the steps of operations on services with the local driver: what others see of them, and the return to the version that ran before. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type HostingDriver,
  HostingError,
  type HostingFault,
  type InstanceState,
} from '#server/drivers/hosting/hosting-driver.ts'
import { hostingJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { checkServices } from '#server/use-cases/hosting/check-services.ts'
import { healthCheckMs } from '#server/use-cases/hosting/health-wait.ts'
import type { ServiceResponse } from '#server/use-cases/hosting/service-rows.ts'
import { faultyMemoryMb } from '#tests/support/hosting/faulty-program.ts'
import { faultyProgram, findTasks, type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { buyOrder, setUpShop } from '#tests/support/orders/shop-data.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const defaultTimes = { ...healthCheckMs }

describe('the steps of an operation', () => {
  const fixture = setUpShop('postgres')
  let host: LocalUnderTest
  let alpha: SignedIn
  let contractId = 0
  afterEach(async () => {
    Object.assign(healthCheckMs, defaultTimes)
    await host.end()
  })
  beforeEach(async () => {
    host = openLocalHosting({ program: faultyProgram })
    fixture.server.app.hosting = host.driver
    alpha = await fixture.server.signIn('order@alpha')
    contractId = (await buyOrder(fixture.server, alpha, { code: 'alpha1' })).contract_id
  })

  const readRow = async (caller = alpha): Promise<ServiceResponse> =>
    (await caller.send({ url: '/api/aws/service' })).json().data.find(({ code }: ServiceResponse) => code === 'alpha1')
  const start = async (url: string): Promise<string> => {
    const response = await alpha.send({ method: 'POST', url })
    expect(response.statusCode).toBe(202)
    return response.json().location
  }
  const runJob = () => runOneJob(fixture.server.app, hostingJobKinds)
  const readResult = async (location: string) => {
    const response = await alpha.send({ url: location })
    return { status: response.statusCode, body: response.body === '' ? null : response.json() }
  }
  const runToEnd = async (url: string) => {
    const location = await start(url)
    await runJob()
    return await readResult(location)
  }
  const create = () => runToEnd(`/api/aws/service?contractId=${contractId}`)
  const configure = (id: number, memoryMb: number) =>
    runToEnd(`/api/aws/changecfg?serviceId=${id}&task_runtime_memory=${memoryMb}&task_desire_count=1`)
  const listPids = () => findTasks(host.folder).map(({ pid }) => pid)
  /** Replaces calls of the driver. All other calls reach the real one. */
  const replaceCalls = (calls: Partial<HostingDriver>) => {
    fixture.server.app.hosting = { ...host.driver, ...calls }
  }
  /** Throws the fault instead of the first call, and then calls the driver. */
  const failOnce = <A extends unknown[]>(fault: HostingFault, call: (...args: A) => Promise<void>) => {
    let count = 0
    return async (...args: A) => {
      count += 1
      if (count === 1) throw new HostingError(fault, 'not now')
      await call(...args)
    }
  }
  /** A state as it is just after a start, because the real program may be faster than the first look. */
  const toStartingState = (state: InstanceState | null): InstanceState | null =>
    state && {
      ...state,
      healthy: false,
      tasks: state.tasks.map((task) => ({ ...task, healthy: false })),
      deployment: state.deployment && { ...state.deployment, healthyTasks: 0 },
    }
  const passTime = (ms: number) => {
    fixture.server.clock.now += ms
  }

  it('are shown to everybody who sees the service, with the number of healthy instances', async () => {
    const staff = await fixture.server.signIn('admin@m18')
    const steps: unknown[] = []
    const recordStep = async () => {
      const { operation } = await readRow(staff)
      const { name, healthy, wanted: wantedCount } = operation?.step ?? {}
      const text = wantedCount === null ? name : `${name} ${healthy}/${wantedCount}`
      if (text !== steps.at(-1)) steps.push(text)
    }
    const record =
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A) => {
        await recordStep()
        return await call(...args)
      }
    const { driver } = host
    let lookCount = 0
    replaceCalls({
      prepare: record(driver.prepare),
      install: record(driver.install),
      setPassword: record(driver.setPassword),
      start: record(driver.start),
      look: record(async (ref) => {
        const state = await driver.look(ref)
        lookCount += 1
        return lookCount === 1 ? toStartingState(state) : state
      }),
      switchOver: record(driver.switchOver),
    })
    expect((await create()).status).toBe(200)
    expect(steps).toEqual(['prepare', 'install', 'password', 'start', 'health', 'health 0/1', 'switch'])
    expect(await readRow()).toMatchObject({ operation: null, system_status: 2, fault: null, deployment_fault: null })
    expect((await driver.lookAll())[0]?.deployment).toMatchObject({ state: 'completed', healthyTasks: 1 })
    const { id } = await readRow()
    steps.length = 0
    await runToEnd(`/api/aws/reboot/${id}`)
    expect(steps.filter((step) => !String(step).startsWith('health '))).toEqual(['restart', 'health', 'switch'])
  }, 60_000)

  it('return to the version that ran before if the new one is not healthy, and the row keeps the reason', async () => {
    await create()
    const { id } = await readRow()
    const pids = listPids()
    await configure(id, faultyMemoryMb.ends)
    const { rollBack } = host.driver
    replaceCalls({ rollBack: failOnce('unreachable', rollBack) })
    healthCheckMs.timeout = -1
    const location = await start(`/api/aws/reboot/${id}`)
    await runJob()
    // The host did not respond to the rollback, so it is tried again.
    expect(await readRow()).toMatchObject({ operation: { step: { name: 'rollback', healthy: null, wanted: null } } })
    passTime(60_000)
    await runJob()
    expect(await readResult(location)).toMatchObject({
      status: 409,
      body: { errorCode: 'STATE_CONFLICT', data: { why: 'not_healthy' } },
    })
    const rolledBackFields = {
      system_status: 2,
      online: 1,
      fault: null,
      deployment_fault: 'not_healthy',
      needs_reboot: true,
      task_runtime_memory: faultyMemoryMb.ends,
      running_memory: 256,
      operation: null,
    }
    expect(await readRow()).toMatchObject(rolledBackFields)
    await checkServices(fixture.server.app)
    expect(await readRow()).toMatchObject(rolledBackFields)
    expect(listPids()).toEqual(expect.arrayContaining(pids))

    healthCheckMs.timeout = defaultTimes.timeout
    await configure(id, 1000)
    // The host forgets the fault at the next operation, but the row keeps it until the next start.
    const forgetFault = <S extends InstanceState | null>(state: S): S =>
      state?.deployment ? { ...state, fault: null, deployment: { ...state.deployment, fault: null } } : state
    replaceCalls({ lookAll: async () => (await host.driver.lookAll()).map(forgetFault) })
    await checkServices(fixture.server.app)
    expect(await readRow()).toMatchObject({ deployment_fault: 'not_healthy' })
    replaceCalls({})
    expect((await runToEnd(`/api/aws/reboot/${id}`)).status).toBe(204)
    expect(await readRow()).toMatchObject({ deployment_fault: null, needs_reboot: false, running_memory: 1000 })
  }, 60_000)

  it('remove a service whose creation fails', async () => {
    healthCheckMs.timeout = -1
    replaceCalls({ look: async (ref) => toStartingState(await host.driver.look(ref)) })
    expect(await create()).toMatchObject({ status: 409, body: { data: { why: 'not_healthy' } } })
    expect(await readRow()).toMatchObject({
      system_status: 0,
      url: null,
      fault: 'failed',
      deployment_fault: 'not_healthy',
    })
    expect(await host.driver.lookAll()).toMatchObject([{ created: false }])
    expect(listPids()).toEqual([])
  }, 60_000)

  it('are tried again if the host has too many calls', async () => {
    await create()
    const { id } = await readRow()
    const { start: startInstance } = host.driver
    replaceCalls({ start: failOnce('throttled', startInstance) })
    const location = await start(`/api/aws/reboot/${id}`)
    await runJob()
    expect((await readResult(location)).status).toBe(202)
    expect(await runJob()).toBe(false)
    passTime(60_000)
    await runJob()
    expect((await readResult(location)).status).toBe(204)

    replaceCalls({
      lookAll: async () => {
        throw new HostingError('throttled', 'too many calls')
      },
    })
    await checkServices(fixture.server.app)
    // Nothing is known about the service, so it is not reported as offline.
    expect(await readRow()).toMatchObject({ fault: 'throttled', online: 1, system_status: 2 })
  }, 60_000)

  it('end at once if the host refuses a start, and the row keeps the reason until the next one', async () => {
    await create()
    const { id } = await readRow()
    const pids = listPids()
    const memory = { tasks: '1', memory: '256', beside: '44', needed: '300', free: '20' }
    const refusals = [
      ['no_image', {}, { errorCode: 'STATE_CONFLICT', data: { why: 'no_image' } }],
      ['no_memory', memory, { errorCode: 'NO_MEMORY', data: memory }],
    ] as const
    for (const [fault, details, body] of refusals) {
      replaceCalls({
        start: async () => {
          throw new HostingError(fault, 'refused', { details })
        },
      })
      expect(await runToEnd(`/api/aws/reboot/${id}`)).toMatchObject({ status: 409, body })
      const refusedFields = { online: 1, system_status: 2, fault: null, deployment_fault: fault, operation: null }
      expect(await readRow()).toMatchObject(refusedFields)
      await checkServices(fixture.server.app)
      expect(await readRow()).toMatchObject(refusedFields)
      expect(listPids()).toEqual(pids)
      const refusalLine = fixture.server
        .readLog()
        .split('\n')
        .findLast((line) => line.includes('service_operation_refused'))
      expect(JSON.parse(refusalLine ?? 'null')).toMatchObject({
        service: 'alpha1',
        operation: 'reboot-service',
        fault,
        err: { message: 'refused' },
      })
    }
    replaceCalls({})
    expect((await runToEnd(`/api/aws/reboot/${id}`)).status).toBe(204)
    expect(await readRow()).toMatchObject({ online: 1, fault: null, deployment_fault: null })
  }, 60_000)

  it('name the reason of a creation that the host refuses', async () => {
    replaceCalls({
      prepare: async () => {
        throw new HostingError('no_image', 'refused')
      },
    })
    expect(await create()).toMatchObject({ status: 409, body: { data: { why: 'no_image' } } })
    expect(await readRow()).toMatchObject({
      system_status: 0,
      url: null,
      fault: 'failed',
      deployment_fault: 'no_image',
    })
    replaceCalls({})
    expect((await create()).status).toBe(200)
    expect(await readRow()).toMatchObject({ online: 1, fault: null, deployment_fault: null })
  }, 60_000)
})
