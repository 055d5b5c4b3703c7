/** The embedded hosting driver: its processes outlive whoever started them, run once, and are gone when they should be. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { InstanceRef } from '#server/drivers/hosting/driver.ts'
import { between, chanceOf, suiteSeed } from '#tests/support/runner/chance.ts'
import {
  ask,
  healthy,
  type LocalUnderTest,
  openLocalHosting,
  processesOf,
  supervisorsOf,
  tasksOf,
  until,
} from '#tests/support/hosting/hosting.ts'
import { describeHosting } from '#tests/server/drivers/hosting/contract.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

/** How often a supervisor is killed in each of its stories; more by `npm run campaign -- histories`. */
const kills = Number(process.env.RUNS ?? 4)

// Processes are started and killed, beside those of other tests.
vi.setConfig({ testTimeout: 60_000 + kills * 10_000 })

describeHosting('local hosting', () => openLocalHosting())

async function* given<T>(pieces: readonly T[]): AsyncGenerator<T> {
  yield* pieces
}

describe('local hosting', () => {
  const opened: LocalUnderTest[] = []
  const open = (settings: Parameters<typeof openLocalHosting>[0] = {}) => {
    const the = openLocalHosting(settings)
    opened.push(the)
    return the
  }
  afterAll(async () => {
    await Promise.all(opened.map((the) => the.end()))
  })

  const ref: InstanceRef = { serviceId: 12, code: 'acmetrade' }
  const at = (fence: number) => ({ fence })
  const placeOf = ({ folder }: LocalUnderTest) => join(folder, 'instances', 'acmetrade-12')
  const pidsOf = (found: { pid: number }[]) => found.map(({ pid }) => pid).toSorted()

  async function running(the: LocalUnderTest, tasks = 1): Promise<void> {
    await the.driver.prepare(ref, { name: 'Trading', config: { memoryMb: 0, tasks } }, at(1))
    await the.driver.start(ref, { fresh: false }, at(1))
    await healthy(the.driver, ref, tasks)
  }

  nightly(
    'starts nothing where there is nothing to run, and one supervisor where two portals start at once',
    async () => {
      const the = open()
      expect([await the.driver.lookAll(), await the.driver.look(ref)]).toEqual([[], null])
      const stop = the.driver.watch(() => undefined)
      await wait(100)
      expect(processesOf(the.folder)).toEqual([])
      const portals = [the.driver, the.another(), the.another(), the.another()]
      await Promise.all(
        portals.map((driver, at) =>
          driver.prepare(
            { serviceId: at + 1, code: `shop${at}` },
            { name: '', config: { memoryMb: 0, tasks: 0 } },
            { fence: 1 },
          ),
        ),
      )
      stop()
      await until('one supervisor', () => supervisorsOf(the.folder).length === 1)
      for (const driver of portals) expect(await driver.lookAll()).toHaveLength(4)
      expect(readdirSync(the.folder).filter((name) => /lock|draft/.test(name))).toHaveLength(1)
    },
  )

  it('goes on without its portal, and without its supervisor, whose successor takes over what runs', async () => {
    const the = open()
    await running(the, 2)
    const tasks = pidsOf(tasksOf(the.folder))
    await the.driver.close()
    const next = the.another()
    const before = await next.look(ref)
    for (const { pid } of supervisorsOf(the.folder)) process.kill(pid, 'SIGKILL')
    // A task that ends while nobody watches is missed and started again.
    process.kill(tasks[0] ?? 0, 'SIGKILL')
    const after = await healthy(next, ref, 2)
    expect(tasksOf(the.folder)).toHaveLength(2)
    expect(pidsOf(tasksOf(the.folder)).filter((pid) => tasks.includes(pid))).toHaveLength(1)
    const kept = before?.tasks.map(({ started }) => started) ?? []
    expect(after.tasks.filter(({ started }) => kept.includes(started))).toHaveLength(1)
    expect(after.address).toEqual(before?.address)
    expect((await ask(after.address.url, '/sign-in')).status).toBe(200)
    await next.shutDown()
    expect(processesOf(the.folder)).toEqual([])
    // What is to run begins again with the next portal.
    await healthy(the.another(), ref, 2)
  })

  nightly('is what it was told to be when a call is repeated, wherever its supervisor was killed', async () => {
    const the = open()
    const chance = chanceOf(suiteSeed)
    await the.driver.prepare(ref, { name: 'Trading', config: { memoryMb: 0, tasks: 0 } }, at(1))
    let fence = 1
    /** Again until it is done, as a job of the portal does; `delayMs` null: nobody is killed. */
    async function killedAt(delayMs: number | null, call: () => Promise<unknown>): Promise<void> {
      if (delayMs === null) return void (await call())
      const first = call().then(
        () => true,
        () => false,
      )
      await wait(delayMs)
      for (const { pid } of supervisorsOf(the.folder)) process.kill(pid, 'SIGKILL')
      if (!(await first))
        await until('the call', () =>
          call().then(
            () => true,
            () => false,
          ),
        )
    }
    for (let round = 0; round < kills; round++) {
      fence += 1
      const tasks = between(chance, 1, 2)
      const config = { memoryMb: 1000 + fence, tasks }
      const killed = between(chance, 0, round % 3 === 2 ? 2 : 1)
      const delay = (call: number) => (call === killed ? between(chance, 0, 60) : null)
      await killedAt(delay(0), () => the.driver.configure(ref, config, at(fence)))
      await killedAt(delay(1), () => the.driver.start(ref, { fresh: true }, at(fence)))
      const state = await until('as configured', async () => {
        const now = await the.driver.look(ref)
        const isNew = now?.tasks.every((one) => one.healthy && one.limitMb === config.memoryMb)
        return now?.tasks.length === tasks && isNew ? now : null
      })
      expect(state).toMatchObject({ config, running: config, wanted: 'running', healthy: true })
      expect([round, tasksOf(the.folder).length]).toEqual([round, tasks])
      if (round % 3 !== 2) continue
      await killedAt(delay(2), () => the.driver.stop(ref, at(fence)))
      expect(await the.driver.look(ref)).toMatchObject({ wanted: 'stopped', tasks: [] })
      // One that was never told to begin ends by itself.
      await until('no task', () => tasksOf(the.folder).length === 0)
    }
    await killedAt(5, () => the.driver.remove(ref, at(fence)))
    expect(existsSync(join(placeOf(the), 'logs'))).toBe(true)
    await killedAt(1, () => the.driver.erase(ref, at(fence)))
    expect(await the.driver.look(ref)).toBeNull()
    expect(readdirSync(join(the.folder, 'instances'))).toEqual([])
    await until('no task', () => tasksOf(the.folder).length === 0)
    await the.driver.shutDown()
    expect(processesOf(the.folder)).toEqual([])
    expect(readdirSync(join(the.folder, 'run'))).toEqual([])
  })

  nightly('has the old data or the new, wherever its supervisor was killed while data is replaced', async () => {
    const the = open()
    const chance = chanceOf(suiteSeed)
    const read = async () => JSON.stringify(await Array.fromAsync(the.driver.readData(ref)))
    const put = (data: string, fence: number) => the.driver.replaceData(ref, given(JSON.parse(data)), at(fence))
    await running(the)
    await the.driver.setPassword(ref, 'First-pass-1', at(1))
    const first = await read()
    await the.driver.setPassword(ref, 'Second-pass-2', at(1))
    let [now, next] = [await read(), first]
    expect(now).not.toBe(next)
    for (let fence = 2; fence < 2 + kills; fence++) {
      const replaced = put(next, fence).then(
        () => true,
        () => false,
      )
      await wait(between(chance, 200, 700))
      for (const { pid } of supervisorsOf(the.folder)) process.kill(pid, 'SIGKILL')
      const isSaid = await replaced
      const found = await read()
      expect(isSaid ? [next] : [now, next]).toContain(found)
      await healthy(the.driver, ref)
      expect(await read()).toBe(found)
      if (!isSaid)
        await until('the call', () =>
          put(next, fence).then(
            () => true,
            () => false,
          ),
        )
      await healthy(the.driver, ref)
      expect(await read()).toBe(next)
      const folders = readdirSync(placeOf(the)).filter((name) => name.startsWith('data'))
      expect([folders.length, readdirSync(join(placeOf(the), 'drafts'))]).toEqual([1, []])
      ;[now, next] = [next, now]
    }
  })

  it('starts a task again that was killed, and says so in the log', async () => {
    const the = open()
    await running(the)
    const [task] = tasksOf(the.folder)
    process.kill(task?.pid ?? 0, 'SIGKILL')
    await until('another one', async () => tasksOf(the.folder).some(({ pid }) => pid !== task?.pid))
    const state = await healthy(the.driver, ref)
    expect([state.fault, tasksOf(the.folder).length]).toEqual([null, 1])
    const lines = await Array.fromAsync(the.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
    expect(lines.map(({ task: number, text }) => `${number} ${text}`)).toContain('0 task 1 ended')
  })

  nightly(
    'says of one that cannot run that it keeps ending, with what it said last, and tries on until it can',
    async () => {
      const the = open()
      await the.driver.prepare(ref, { name: '', config: { memoryMb: 0, tasks: 1 } }, at(1))
      const path = join(placeOf(the), 'data', 'instance.db')
      writeFileSync(path, 'no database at all, but long enough to be taken for one'.repeat(100))
      await the.driver.start(ref, { fresh: false }, at(1))
      await until('the fault', async () => (await the.driver.look(ref))?.fault === 'keeps_ending', 40_000)
      const lines = await Array.fromAsync(the.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
      expect(lines.some(({ level, text }) => level === 'error' && /not a database/.test(text))).toBe(true)
      await expect(the.driver.setPassword(ref, 'Any-pass-1', at(1))).rejects.toMatchObject({ fault: 'unreachable' })
      rmSync(path)
      // Whoever starts it anew need not wait for the next try.
      await the.driver.start(ref, { fresh: true }, at(2))
      expect((await healthy(the.driver, ref)).fault).toBeNull()
    },
  )

  nightly('replaces a task that uses more memory than it may, and says so', async () => {
    const the = open({ times: { checkMs: 200, allowanceMb: 40 } })
    await running(the)
    await the.driver.setPassword(ref, 'First-pass-1', at(1))
    const { address, tasks } = await healthy(the.driver, ref)
    const admin = { ...address, url: address.adminUrl }
    const cookie = (await the.signIn(admin, 'First-pass-1')) ?? ''
    const { body } = await ask(address.adminUrl, '/', { headers: { cookie } })
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(body) ?? []
    const more = () => ask(address.adminUrl, '/memory', { form: { csrf }, headers: { cookie } }).then(() => true)
    for (let time = 0; time < 3; time++) await more().catch(() => undefined)
    const state = await until('the replacement', async () => {
      const now = await the.driver.look(ref)
      const isNew = now?.healthy && now.tasks[0]?.started !== tasks[0]?.started
      return now?.fault === 'out_of_memory' && isNew ? now : null
    })
    expect(state.tasks[0]?.usedMb).toBeLessThan(256)
    const lines = await Array.fromAsync(the.driver.readLog(ref, { from: 0, to: Date.now() + 1000 }))
    expect(lines.some(({ text }) => /task 1 used \d+ MB of 256 MB and is replaced/.test(text))).toBe(true)
  })

  nightly('replaces one task after the other, so that a service of two is never dark', async () => {
    const the = open()
    await running(the, 2)
    const { address, tasks } = await healthy(the.driver, ref, 2)
    let isDone = false
    const statuses: number[] = []
    const asking = (async () => {
      while (!isDone) {
        statuses.push((await ask(address.url, '/sign-in')).status)
        await wait(10)
      }
    })()
    await the.driver.start(ref, { fresh: true }, at(2))
    const before = new Set(tasks.map(({ started }) => started))
    await until('two new ones', async () => {
      const now = await the.driver.look(ref)
      return now?.tasks.length === 2 && now.tasks.every((one) => one.healthy && !before.has(one.started))
    })
    isDone = true
    await asking
    expect(statuses.length).toBeGreaterThan(20)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })

  nightly('says of one whose tasks run and do not answer that it does not, and replaces them', async () => {
    const the = open({ times: { checkMs: 100, answerMs: 100, replaceMisses: 8, endMs: 300 } })
    await running(the)
    const [task] = tasksOf(the.folder)
    process.kill(task?.pid ?? 0, 'SIGSTOP')
    await until('the fault', async () => (await the.driver.look(ref))?.fault === 'no_answer')
    await until('another one', () => tasksOf(the.folder).length === 1 && tasksOf(the.folder)[0]?.pid !== task?.pid)
  })

  nightly('lists two hundred services that do not run at once', async () => {
    const the = open()
    const refs = Array.from({ length: 200 }, (_, at) => ({ serviceId: at + 1, code: `shop${at}` }))
    const spec = { name: '', config: { memoryMb: 0, tasks: 0 } }
    await Promise.all(refs.map((one) => the.driver.prepare(one, spec, at(1))))
    await Promise.all(refs.slice(0, 20).map((one) => the.driver.start(one, { fresh: false }, at(1))))
    const took: number[] = []
    for (let time = 0; time < 5; time++) {
      const from = performance.now()
      expect(await the.driver.lookAll()).toHaveLength(200)
      took.push(performance.now() - from)
    }
    expect(Math.min(...took)).toBeLessThan(50)
    const [supervisor] = supervisorsOf(the.folder)
    const ticks = () => {
      const fields = readFileSync(`/proc/${supervisor?.pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')
      return Number(fields[11]) + Number(fields[12])
    }
    const before = ticks()
    await wait(1500)
    // Of a hundred a second.
    expect(ticks() - before).toBeLessThan(15)
  })

  nightly('ends its supervisor when nothing is to run and nobody asks', async () => {
    const the = open({ idleMs: 300 })
    await running(the)
    await wait(700)
    expect(supervisorsOf(the.folder)).toHaveLength(1)
    await the.driver.stop(ref, at(2))
    await until('nobody', () => processesOf(the.folder).length === 0)
    expect(await the.driver.look(ref)).toMatchObject({ wanted: 'stopped' })
  })

  nightly('runs in a folder whose path is too long for a socket', async () => {
    const top = mkdtempSync(join(tmpdir(), 'hosting-'))
    const folder = join(top, 'long'.repeat(30))
    mkdirSync(folder, { recursive: true })
    const the = open({ folder })
    await running(the)
    expect(existsSync(join(folder, 'run'))).toBe(false)
    await the.end()
    rmSync(top, { recursive: true })
  })
})
