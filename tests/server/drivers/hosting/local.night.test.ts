/** Tests the local hosting driver: its processes outlive the process that started them, run only once, and end when they should. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { drawBetween, createRandom, suiteSeed } from '#tests/support/runner/random.ts'
import {
  breakableProgram,
  sendRequest,
  waitUntilHealthy,
  type LocalUnderTest,
  openLocalHosting,
  findProcesses,
  findSupervisors,
  findTasks,
  waitUntil,
} from '#tests/support/hosting/hosting.ts'
import { describeHosting } from '#tests/server/drivers/hosting/describe-hosting.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

/** Number of supervisors that a test kills. `npm run campaign -- histories` raises it. */
const killCount = Number(process.env.RUNS ?? 4)

// The tests start and kill processes while other test files run.
vi.setConfig({ testTimeout: 60_000 + killCount * 10_000 })

describeHosting('local hosting', () => openLocalHosting({ program: breakableProgram, times: { beginMs: 8000 } }), {
  hasImages: false,
})

async function* streamItems<T>(pieces: readonly T[]): AsyncGenerator<T> {
  yield* pieces
}

describe('the local hosting driver', () => {
  const openedHosts: LocalUnderTest[] = []
  const openHost = (settings: Parameters<typeof openLocalHosting>[0] = {}) => {
    const host = openLocalHosting(settings)
    openedHosts.push(host)
    return host
  }
  afterAll(async () => {
    await Promise.all(openedHosts.map((host) => host.end()))
  })

  const ref: InstanceRef = { serviceId: 12, code: 'acmetrade' }
  const withFence = (fence: number) => ({ fence })
  const getInstanceDir = ({ folder }: LocalUnderTest) => join(folder, 'instances', 'acmetrade-12')
  const listPids = (processes: { pid: number }[]) => processes.map(({ pid }) => pid).toSorted()

  async function startInstance(host: LocalUnderTest, tasks = 1): Promise<void> {
    await host.driver.prepare(ref, { name: 'Trading', config: { memoryMb: 0, tasks } }, withFence(1))
    await host.driver.start(ref, { fresh: false }, withFence(1))
    await waitUntilHealthy(host.driver, ref, tasks)
  }

  nightly('starts no process without services, and one supervisor for several portals', async () => {
    const host = openHost()
    expect([await host.driver.lookAll(), await host.driver.look(ref)]).toEqual([[], null])
    const unsubscribe = host.driver.watch(() => undefined)
    await wait(100)
    expect(findProcesses(host.folder)).toEqual([])
    const portals = [host.driver, host.openAnother(), host.openAnother(), host.openAnother()]
    await Promise.all(
      portals.map((driver, portalIndex) =>
        driver.prepare(
          { serviceId: portalIndex + 1, code: `shop${portalIndex}` },
          { name: '', config: { memoryMb: 0, tasks: 0 } },
          { fence: 1 },
        ),
      ),
    )
    unsubscribe()
    await waitUntil('one supervisor', () => findSupervisors(host.folder).length === 1)
    for (const driver of portals) expect(await driver.lookAll()).toHaveLength(4)
    expect(readdirSync(host.folder).filter((name) => /lock|draft/.test(name))).toHaveLength(1)
  })

  it('keeps services running without portal and supervisor, and the next supervisor takes them over', async () => {
    const host = openHost()
    await startInstance(host, 2)
    const taskPids = listPids(findTasks(host.folder))
    await host.driver.close()
    const nextDriver = host.openAnother()
    const previousState = await nextDriver.look(ref)
    for (const { pid } of findSupervisors(host.folder)) process.kill(pid, 'SIGKILL')
    // A task that ends without a supervisor is started again by the next supervisor.
    process.kill(taskPids[0] ?? 0, 'SIGKILL')
    const currentState = await waitUntilHealthy(nextDriver, ref, 2)
    expect(findTasks(host.folder)).toHaveLength(2)
    expect(listPids(findTasks(host.folder)).filter((pid) => taskPids.includes(pid))).toHaveLength(1)
    const startTimes = previousState?.tasks.map(({ started }) => started) ?? []
    expect(currentState.tasks.filter(({ started }) => startTimes.includes(started))).toHaveLength(1)
    expect(currentState.address).toEqual(previousState?.address)
    expect((await sendRequest(currentState.address.url, '/sign-in')).status).toBe(200)
    await nextDriver.shutDown()
    expect(findProcesses(host.folder)).toEqual([])
    // Services that should run are started again with the next portal.
    await waitUntilHealthy(host.openAnother(), ref, 2)
  })

  nightly('reaches the requested state by repeated calls, even if its supervisor is killed at any time', async () => {
    const host = openHost()
    const random = createRandom(suiteSeed)
    await host.driver.prepare(ref, { name: 'Trading', config: { memoryMb: 0, tasks: 0 } }, withFence(1))
    let fence = 1
    /** Repeats the call until it succeeds, as a job of the portal does. If `delayMs` is null, no supervisor is killed. */
    async function callWithKill(delayMs: number | null, call: () => Promise<unknown>): Promise<void> {
      if (delayMs === null) return void (await call())
      const firstCall = call().then(
        () => true,
        () => false,
      )
      await wait(delayMs)
      for (const { pid } of findSupervisors(host.folder)) process.kill(pid, 'SIGKILL')
      if (!(await firstCall))
        await waitUntil('the call', () =>
          call().then(
            () => true,
            () => false,
          ),
        )
    }
    for (let round = 0; round < killCount; round++) {
      fence += 1
      const tasks = drawBetween(random, 1, 2)
      const config = { memoryMb: 1000 + fence, tasks }
      const killedCall = drawBetween(random, 0, round % 3 === 2 ? 2 : 1)
      const getDelayMs = (call: number) => (call === killedCall ? drawBetween(random, 0, 60) : null)
      await callWithKill(getDelayMs(0), () => host.driver.configure(ref, config, withFence(fence)))
      await callWithKill(getDelayMs(1), () => host.driver.start(ref, { fresh: true }, withFence(fence)))
      const state = await waitUntil('as configured', async () => {
        const currentState = await host.driver.look(ref)
        const isNew = currentState?.tasks.every((task) => task.healthy && task.limitMb === config.memoryMb)
        return currentState?.tasks.length === tasks && isNew ? currentState : null
      })
      expect(state).toMatchObject({ config, running: config, wanted: 'running', healthy: true })
      expect([round, findTasks(host.folder).length]).toEqual([round, tasks])
      if (round % 3 !== 2) continue
      await callWithKill(getDelayMs(2), () => host.driver.stop(ref, withFence(fence)))
      expect(await host.driver.look(ref)).toMatchObject({ wanted: 'stopped', tasks: [] })
      // A task ends by itself if its supervisor was killed while starting it.
      await waitUntil('no task', () => findTasks(host.folder).length === 0)
    }
    await callWithKill(5, () => host.driver.remove(ref, withFence(fence)))
    expect(existsSync(join(getInstanceDir(host), 'logs'))).toBe(true)
    await callWithKill(1, () => host.driver.erase(ref, withFence(fence)))
    expect(await host.driver.look(ref)).toBeNull()
    expect(readdirSync(join(host.folder, 'instances'))).toEqual([])
    await waitUntil('no task', () => findTasks(host.folder).length === 0)
    await host.driver.shutDown()
    expect(findProcesses(host.folder)).toEqual([])
    expect(readdirSync(join(host.folder, 'run'))).toEqual([])
  })

  nightly('has either the old or the new data if its supervisor is killed during a replacement', async () => {
    const host = openHost()
    const random = createRandom(suiteSeed)
    const readData = async () => JSON.stringify(await Array.fromAsync(host.driver.readData(ref)))
    const replaceData = (data: string, fence: number) =>
      host.driver.replaceData(ref, streamItems(JSON.parse(data)), withFence(fence))
    await startInstance(host)
    await host.driver.setPassword(ref, 'First-pass-1', withFence(1))
    const firstData = await readData()
    await host.driver.setPassword(ref, 'Second-pass-2', withFence(1))
    let [currentData, nextData] = [await readData(), firstData]
    expect(currentData).not.toBe(nextData)
    for (let fence = 2; fence < 2 + killCount; fence++) {
      const replacement = replaceData(nextData, fence).then(
        () => true,
        () => false,
      )
      await wait(drawBetween(random, 200, 700))
      for (const { pid } of findSupervisors(host.folder)) process.kill(pid, 'SIGKILL')
      const isAcknowledged = await replacement
      const storedData = await readData()
      expect(isAcknowledged ? [nextData] : [currentData, nextData]).toContain(storedData)
      await waitUntilHealthy(host.driver, ref)
      expect(await readData()).toBe(storedData)
      if (!isAcknowledged)
        await waitUntil('the call', () =>
          replaceData(nextData, fence).then(
            () => true,
            () => false,
          ),
        )
      await waitUntilHealthy(host.driver, ref)
      expect(await readData()).toBe(nextData)
      const folders = readdirSync(getInstanceDir(host)).filter((name) => name.startsWith('data'))
      expect([folders.length, readdirSync(join(getInstanceDir(host), 'drafts'))]).toEqual([1, []])
      ;[currentData, nextData] = [nextData, currentData]
    }
  })

  it('restarts a killed task, and logs it', async () => {
    const host = openHost()
    await startInstance(host)
    const [task] = findTasks(host.folder)
    process.kill(task?.pid ?? 0, 'SIGKILL')
    await waitUntil('another one', async () => findTasks(host.folder).some(({ pid }) => pid !== task?.pid))
    const state = await waitUntilHealthy(host.driver, ref)
    expect([state.fault, findTasks(host.folder).length]).toEqual([null, 1])
    const lines = await Array.fromAsync(host.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
    expect(lines.map(({ task: number, text }) => `${number} ${text}`)).toContain('0 task 1 ended')
  })

  nightly('reports a service whose tasks keep ending, logs their last output, and can start it again', async () => {
    const host = openHost()
    await host.driver.prepare(ref, { name: '', config: { memoryMb: 0, tasks: 1 } }, withFence(1))
    const path = join(getInstanceDir(host), 'data', 'instance.db')
    writeFileSync(path, 'no database at all, but long enough to be taken for one'.repeat(100))
    await host.driver.start(ref, { fresh: false }, withFence(1))
    await waitUntil('the fault', async () => (await host.driver.look(ref))?.fault === 'keeps_ending', 40_000)
    const lines = await Array.fromAsync(host.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
    expect(lines.some(({ level, text }) => level === 'error' && /not a database/.test(text))).toBe(true)
    await expect(host.driver.setPassword(ref, 'Any-pass-1', withFence(1))).rejects.toMatchObject({
      fault: 'unreachable',
    })
    rmSync(path)
    // A manual start does not wait for the next automatic retry.
    await host.driver.start(ref, { fresh: true }, withFence(2))
    expect((await waitUntilHealthy(host.driver, ref)).fault).toBeNull()
  })

  nightly('replaces a task that exceeds its memory limit, and logs it', async () => {
    const host = openHost({ times: { checkMs: 200, allowanceMb: 40 } })
    await startInstance(host)
    await host.driver.setPassword(ref, 'First-pass-1', withFence(1))
    const { address, tasks } = await waitUntilHealthy(host.driver, ref)
    const admin = { ...address, url: address.adminUrl }
    const cookie = (await host.signIn(admin, 'First-pass-1')) ?? ''
    const { body } = await sendRequest(address.adminUrl, '/', { headers: { cookie } })
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(body) ?? []
    const allocateMemory = () =>
      sendRequest(address.adminUrl, '/memory', { form: { csrf }, headers: { cookie } }).then(() => true)
    for (let time = 0; time < 3; time++) await allocateMemory().catch(() => undefined)
    const state = await waitUntil('the replacement', async () => {
      const currentState = await host.driver.look(ref)
      const isNew = currentState?.healthy && currentState.tasks[0]?.started !== tasks[0]?.started
      return currentState?.fault === 'out_of_memory' && isNew ? currentState : null
    })
    expect(state.tasks[0]?.usedMb).toBeLessThan(256)
    const lines = await Array.fromAsync(host.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
    expect(lines.some(({ text }) => /task 1 used \d+ MB of 256 MB and will be replaced/.test(text))).toBe(true)
  })

  nightly('replaces tasks one by one, so that a service of two tasks stays available', async () => {
    const host = openHost()
    await startInstance(host, 2)
    const { address, tasks } = await waitUntilHealthy(host.driver, ref, 2)
    let isDone = false
    const statuses: number[] = []
    const pollPromise = (async () => {
      while (!isDone) {
        statuses.push((await sendRequest(address.url, '/sign-in')).status)
        await wait(10)
      }
    })()
    await host.driver.start(ref, { fresh: true }, withFence(2))
    const previousStartTimes = new Set(tasks.map(({ started }) => started))
    await waitUntil('two new ones', async () => {
      const currentState = await host.driver.look(ref)
      return (
        currentState?.tasks.length === 2 &&
        currentState.tasks.every((task) => task.healthy && !previousStartTimes.has(task.started))
      )
    })
    isDone = true
    await pollPromise
    expect(statuses.length).toBeGreaterThan(20)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })

  nightly('reports a service whose tasks do not respond, and replaces them', async () => {
    const host = openHost({ times: { checkMs: 100, answerMs: 100, replaceMisses: 8, endMs: 300 } })
    await startInstance(host)
    const [task] = findTasks(host.folder)
    process.kill(task?.pid ?? 0, 'SIGSTOP')
    await waitUntil('the fault', async () => (await host.driver.look(ref))?.fault === 'no_answer')
    await waitUntil(
      'another one',
      () => findTasks(host.folder).length === 1 && findTasks(host.folder)[0]?.pid !== task?.pid,
    )
  })

  nightly('lists two hundred stopped services quickly', async () => {
    const host = openHost()
    const refs = Array.from({ length: 200 }, (_, index) => ({ serviceId: index + 1, code: `shop${index}` }))
    const spec = { name: '', config: { memoryMb: 0, tasks: 0 } }
    await Promise.all(refs.map((ref) => host.driver.prepare(ref, spec, withFence(1))))
    await Promise.all(refs.slice(0, 20).map((ref) => host.driver.start(ref, { fresh: false }, withFence(1))))
    const durationsMs: number[] = []
    for (let time = 0; time < 5; time++) {
      const startedAt = performance.now()
      expect(await host.driver.lookAll()).toHaveLength(200)
      durationsMs.push(performance.now() - startedAt)
    }
    expect(Math.min(...durationsMs)).toBeLessThan(50)
    const [supervisor] = findSupervisors(host.folder)
    const readTicks = () => {
      const fields = readFileSync(`/proc/${supervisor?.pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')
      return Number(fields[11]) + Number(fields[12])
    }
    const previousTicks = readTicks()
    await wait(1500)
    // The unit is ticks, 100 per second.
    expect(readTicks() - previousTicks).toBeLessThan(15)
  })

  nightly('ends its supervisor if no service runs and no call arrives', async () => {
    const host = openHost({ idleMs: 300 })
    await startInstance(host)
    await wait(700)
    expect(findSupervisors(host.folder)).toHaveLength(1)
    await host.driver.stop(ref, withFence(2))
    await waitUntil('nobody', () => findProcesses(host.folder).length === 0)
    expect(await host.driver.look(ref)).toMatchObject({ wanted: 'stopped' })
  })

  nightly('runs in a folder whose path is too long for a socket', async () => {
    const parentDir = mkdtempSync(join(tmpdir(), 'hosting-'))
    const folder = join(parentDir, 'long'.repeat(30))
    mkdirSync(folder, { recursive: true })
    const host = openHost({ folder })
    await startInstance(host)
    expect(existsSync(join(folder, 'run'))).toBe(false)
    await host.end()
    rmSync(parentDir, { recursive: true })
  })
})
