/** What every hosting driver does, whatever runs the services: a second one passes these too. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type {
  DataPiece,
  HostingDriver,
  InstanceApp,
  InstanceConfig,
  InstanceRef,
  LogLine,
} from '#server/drivers/hosting/driver.ts'
import { healthy, type HostingUnderTest, until } from '#tests/support/hosting/hosting.ts'
import { packed } from '#tests/support/uploads/packages.ts'

const config: InstanceConfig = { memoryMb: 0, tasks: 1 }
const spec = { name: 'Trading', config }
const at = (fence: number) => ({ fence })

export function describeHosting(name: string, make: () => HostingUnderTest): void {
  describe(`${name}, as every hosting driver,`, () => {
    let the: HostingUnderTest
    let driver: HostingDriver
    const packages = mkdtempSync(join(tmpdir(), 'hosting-packages-'))
    beforeAll(() => {
      the = make()
      driver = the.driver
    })
    afterAll(async () => {
      rmSync(packages, { recursive: true, force: true })
      await the.end()
    })

    let last = 0
    const newRef = (): InstanceRef => ({ serviceId: (last += 1), code: `shop${last}` })
    const lines = async (ref: InstanceRef, span = { from: 0, to: Date.now() + 60_000 }): Promise<LogLine[]> =>
      Array.fromAsync(driver.readLog(ref, span))

    const dataOf = (ref: InstanceRef): Promise<DataPiece[]> => Array.fromAsync(driver.readData(ref))

    async function running(ref: InstanceRef, more: Partial<InstanceConfig> = {}): Promise<InstanceRef> {
      await driver.prepare(ref, { ...spec, config: { ...config, ...more } }, at(1))
      await driver.setPassword(ref, 'First-pass-1', at(1))
      await driver.start(ref, { fresh: false }, at(1))
      await healthy(driver, ref)
      return ref
    }

    async function app(facts: Record<string, unknown> = {}): Promise<InstanceApp> {
      const bytes = await packed({ facts })
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const path = join(packages, `${sha256}.mapp`)
      writeFileSync(path, bytes)
      const version = String(facts.version ?? '1.0')
      return { code: 'pay', name: 'Pay', version, module: 'crm', flags: { digits: 3 }, package: { path, sha256 } }
    }

    it('does nothing twice: each call can be made again', async () => {
      const ref = newRef()
      const first = await driver.prepare(ref, spec, at(1))
      expect(first.hadData).toBe(false)
      expect(first.address.adminUrl).toBe(first.address.url.replace('www', 'admin'))
      expect(await driver.prepare(ref, spec, at(1))).toEqual(first)
      expect(await driver.look(ref)).toMatchObject({ created: true, wanted: 'stopped', running: null, tasks: [] })
      const apps = [await app()]
      for (let time = 0; time < 2; time++) await driver.install(ref, apps, at(1))
      for (let time = 0; time < 2; time++) await driver.setPassword(ref, 'First-pass-1', at(1))
      await driver.start(ref, { fresh: true }, at(1))
      const state = await healthy(driver, ref)
      await driver.start(ref, { fresh: true }, at(1))
      await driver.start(ref, { fresh: false }, at(2))
      expect((await healthy(driver, ref)).tasks.map(({ started }) => started)).toEqual(
        state.tasks.map(({ started }) => started),
      )
      expect(state).toMatchObject({ ...ref, running: config, healthy: true, fault: null })
      expect(state.apps).toEqual([{ code: 'pay', version: '1.0' }])
      expect(await the.canSignIn(first.address, 'First-pass-1')).toBe(true)
      for (let time = 0; time < 2; time++) await driver.stop(ref, at(2))
      expect(await driver.look(ref)).toMatchObject({ wanted: 'stopped', tasks: [], running: null, healthy: false })
      for (let time = 0; time < 2; time++) await driver.remove(ref, at(3))
      for (let time = 0; time < 2; time++) await driver.erase(ref, at(4))
      expect(await driver.look(ref)).toBeNull()
    })

    it('refuses what was overtaken, and does none of it', async () => {
      const ref = newRef()
      await driver.prepare(ref, spec, at(5))
      const before = await driver.look(ref)
      const late = at(4)
      const calls = [
        () => driver.prepare(ref, { ...spec, config: { memoryMb: 0, tasks: 4 } }, late),
        () => driver.install(ref, [{ ...noPackage, code: 'late' }], late),
        () => driver.configure(ref, { memoryMb: 2000, tasks: 4 }, late),
        () => driver.start(ref, { fresh: true }, late),
        () => driver.stop(ref, late),
        () => driver.setPassword(ref, 'Late-pass-1', late),
        () => driver.remove(ref, late),
        () => driver.erase(ref, late),
        () => driver.replaceData(ref, given(emptyData), late),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ fault: 'overtaken' })
      expect(await driver.look(ref)).toEqual(before)
      // After it was erased too: a node that slept through it sets nothing up again.
      await driver.erase(ref, at(6))
      await expect(driver.prepare(ref, spec, at(5))).rejects.toMatchObject({ fault: 'overtaken' })
      expect(await driver.look(ref)).toBeNull()
    })

    it('knows nothing of what was never prepared', async () => {
      const ref = newRef()
      for (const call of [
        () => driver.install(ref, [], at(1)),
        () => driver.configure(ref, config, at(1)),
        () => driver.start(ref, { fresh: false }, at(1)),
        () => driver.setPassword(ref, 'Any-pass-1', at(1)),
        () => lines(ref),
        () => dataOf(ref),
        () => driver.replaceData(ref, given(emptyData), at(1)),
      ])
        await expect(call()).rejects.toMatchObject({ fault: 'no_instance' })
      await driver.remove(ref, at(1))
      await driver.erase(ref, at(1))
      expect(await driver.look(ref)).toBeNull()
      expect((await driver.lookAll()).map(({ serviceId }) => serviceId)).not.toContain(ref.serviceId)
    })

    it('keeps data and log when it takes a service away, and has them when it is set up again; erased, they are gone', async () => {
      const ref = await running(newRef())
      await driver.remove(ref, at(2))
      const away = await driver.look(ref)
      expect(away).toMatchObject({ created: false, wanted: 'stopped', tasks: [] })
      expect((await lines(ref)).length).toBeGreaterThan(0)
      const again = await driver.prepare(ref, spec, at(3))
      expect(again).toEqual({ address: away?.address, hadData: true })
      expect((await driver.prepare(ref, spec, at(3))).hadData).toBe(true)
      await driver.start(ref, { fresh: false }, at(3))
      await healthy(driver, ref)
      expect(await the.canSignIn(again.address, 'First-pass-1')).toBe(true)
      await driver.erase(ref, at(4))
      await expect(lines(ref)).rejects.toMatchObject({ fault: 'no_instance' })
      expect((await driver.prepare(ref, spec, at(5))).hadData).toBe(false)
      await driver.start(ref, { fresh: false }, at(5))
      const { address } = await healthy(driver, ref)
      expect(await the.canSignIn(address, 'First-pass-1')).toBe(false)
      expect(await the.canSignIn(address, '')).toBe(false)
      await driver.stop(ref, at(6))
    })

    it('sets the password of a service that runs and of one that is stopped, and ends its sessions', async () => {
      const ref = await running(newRef())
      const { address } = await healthy(driver, ref)
      const cookie = (await the.signIn(address, 'First-pass-1')) ?? ''
      expect(await the.isSignedIn(address, cookie)).toBe(true)
      await driver.setPassword(ref, 'Second-pass-2', at(2))
      expect(await the.isSignedIn(address, cookie)).toBe(false)
      expect(await the.canSignIn(address, 'First-pass-1')).toBe(false)
      const second = (await the.signIn(address, 'Second-pass-2')) ?? ''
      expect(await the.isSignedIn(address, second)).toBe(true)
      await driver.stop(ref, at(3))
      await driver.setPassword(ref, '第三个密码 "$x', at(3))
      await driver.start(ref, { fresh: false }, at(3))
      await healthy(driver, ref)
      expect(await the.isSignedIn(address, second)).toBe(false)
      expect(await the.canSignIn(address, '第三个密码 "$x')).toBe(true)
      await driver.stop(ref, at(4))
    })

    it('goes by what is configured with the next start, and shows what runs until then', async () => {
      const ref = await running(newRef())
      const next = { memoryMb: 1000, tasks: 2 }
      await driver.configure(ref, next, at(2))
      await driver.start(ref, { fresh: false }, at(2))
      expect(await driver.look(ref)).toMatchObject({ config: next, running: config, tasks: [{ limitMb: 256 }] })
      await driver.start(ref, { fresh: true }, at(3))
      const state = await until('two with 1000 MB', async () => {
        const now = await driver.look(ref)
        return now?.running?.memoryMb === 1000 && now.tasks.length === 2 && now.tasks.every((one) => one.healthy) && now
      })
      expect(state).toMatchObject({
        running: next,
        tasks: [
          { number: 1, limitMb: 1000 },
          { number: 2, limitMb: 1000 },
        ],
      })
      await driver.configure(ref, { memoryMb: 0, tasks: 0 }, at(4))
      await driver.start(ref, { fresh: true }, at(4))
      await until('none', async () => (await driver.look(ref))?.tasks.length === 0)
      // Left to the platform (D42).
      await driver.configure(ref, { memoryMb: 0, tasks: -1 }, at(5))
      await driver.start(ref, { fresh: true }, at(5))
      expect((await healthy(driver, ref)).tasks).toMatchObject([{ limitMb: 256 }])
      await driver.stop(ref, at(6))
    })

    it('reads the data of one that runs, is stopped or was taken away, the same as long as nothing changes it', async () => {
      const ref = await running(newRef())
      await driver.stop(ref, at(2))
      const stopped = await dataOf(ref)
      expect(stopped.at(-1)).toMatchObject({ kind: 'end' })
      expect(stopped.filter(({ kind }) => kind === 'table').length).toBeGreaterThan(0)
      await driver.start(ref, { fresh: false }, at(3))
      await healthy(driver, ref)
      expect(await dataOf(ref)).toEqual(stopped)
      await driver.remove(ref, at(4))
      expect(await dataOf(ref)).toEqual(stopped)
      await driver.erase(ref, at(5))
      await expect(dataOf(ref)).rejects.toMatchObject({ fault: 'no_instance' })
    })

    it('takes the data of another one in place of its own, and runs if it ran', async () => {
      const from = await running(newRef())
      const into = await running(newRef())
      await driver.setPassword(from, 'Other-pass-2', at(2))
      const data = await dataOf(from)
      const { address, tasks } = await healthy(driver, into)
      const cookie = (await the.signIn(address, 'First-pass-1')) ?? ''
      await driver.replaceData(into, given(data), at(2))
      const after = await healthy(driver, into)
      expect(after.tasks[0]?.started).toBeGreaterThan(tasks[0]?.started ?? 0)
      expect(after.address).toEqual(address)
      expect(await dataOf(into)).toEqual(data)
      expect(await the.isSignedIn(address, cookie)).toBe(false)
      expect(await the.canSignIn(address, 'First-pass-1')).toBe(false)
      expect(await the.canSignIn(address, 'Other-pass-2')).toBe(true)
      await driver.stop(into, at(3))
      await driver.replaceData(into, given(data), at(3))
      expect(await driver.look(into)).toMatchObject({ wanted: 'stopped', tasks: [] })
      expect(await dataOf(into)).toEqual(data)
      // Set up again it has what was put in, and knows of its users.
      await driver.remove(into, at(4))
      expect(await driver.prepare(into, spec, at(5))).toMatchObject({ hadData: true })
      await driver.remove(from, at(6))
      await expect(driver.replaceData(from, given(data), at(7))).rejects.toMatchObject({ fault: 'no_instance' })
    })

    it('keeps its data where the pieces end in an error, or do not fit together, and goes on', async () => {
      const ref = await running(newRef())
      const data = await dataOf(ref)
      const { tasks } = await healthy(driver, ref)
      async function* cut() {
        yield* data.slice(0, 3)
        throw new Error('cut off')
      }
      await expect(driver.replaceData(ref, cut(), at(2))).rejects.toThrow('cut off')
      async function* late() {
        yield* data
        throw new Error('not what was written')
      }
      await expect(driver.replaceData(ref, late(), at(2))).rejects.toThrow('not what was written')
      const [end] = data.slice(-1)
      const rows = data.filter(({ kind }) => kind === 'rows')
      for (const pieces of [data.slice(0, -1), [...data, ...data], [end, end], [...rows, ...data]])
        await expect(driver.replaceData(ref, given(pieces as DataPiece[]), at(2))).rejects.toMatchObject({
          fault: 'bad_data',
        })
      expect(await dataOf(ref)).toEqual(data)
      expect((await healthy(driver, ref)).tasks.map(({ started }) => started)).toEqual(
        tasks.map(({ started }) => started),
      )
    })

    it('reads the log of a span, oldest first, and none of what lies before or after', async () => {
      const ref = await running(newRef())
      const { address } = await healthy(driver, ref)
      const from = Date.now()
      await the.canSignIn(address, 'Wrong-pass-1')
      await the.canSignIn(address, 'First-pass-1')
      const to = Date.now() + 1
      await driver.stop(ref, at(2))
      const all = await lines(ref)
      const some = await lines(ref, { from, to })
      expect(some.length).toBeGreaterThan(1)
      expect(some.length).toBeLessThan(all.length)
      expect(some).toEqual(all.filter(({ time }) => time >= from && time < to))
      expect(all.map(({ time }) => time)).toEqual(all.map(({ time }) => time).toSorted((a, b) => a - b))
      expect(some.map(({ text }) => text).join('\n')).toMatch(/admin refused[^]*login of admin/)
      expect(JSON.stringify(all)).not.toMatch(/pass-1/)
      expect([await lines(ref, { from: to, to: from }), await lines(ref, { from: 0, to: 1 })]).toEqual([[], []])
    })

    it('installs the packages that were published, and refuses others', async () => {
      const ref = newRef()
      await driver.prepare(ref, spec, at(1))
      const [first, second] = [await app(), await app({ version: '1.1' })]
      await driver.install(ref, [first, noPackage], at(1))
      const refused: InstanceApp[] = [
        { ...second, package: { path: join(packages, 'none.mapp'), sha256: second.package?.sha256 ?? '' } },
        { ...second, package: { path: first.package?.path ?? '', sha256: second.package?.sha256 ?? '' } },
        { ...second, package: { path: first.package?.path ?? '', sha256: '../../x' } },
      ]
      const broken = join(packages, 'broken.mapp')
      writeFileSync(broken, 'no zip file')
      const sha256 = createHash('sha256').update('no zip file').digest('hex')
      refused.push({ ...second, package: { path: broken, sha256 } })
      for (const one of refused)
        await expect(driver.install(ref, [one], at(1))).rejects.toMatchObject({ fault: 'bad_package' })
      const versions = async () => (await driver.look(ref))?.apps.map(({ code, version }) => `${code} ${version}`)
      expect(await versions()).toEqual(['pay 1.0', 'old 3'])
      await driver.install(ref, [second], at(2))
      expect(await versions()).toEqual(['pay 1.1'])
    })

    it('tells whoever watches of what changed, until they stop', async () => {
      const ref = newRef()
      const heard: InstanceRef[] = []
      const stop = driver.watch((one) => void heard.push(one))
      await driver.prepare(ref, spec, at(1))
      await until('the change', () => heard.some(({ serviceId }) => serviceId === ref.serviceId))
      await driver.start(ref, { fresh: false }, at(1))
      await healthy(driver, ref)
      stop()
      const other = newRef()
      await driver.prepare(other, spec, at(1))
      await driver.stop(ref, at(2))
      expect(heard.filter(({ serviceId }) => serviceId === other.serviceId)).toEqual([])
    })
  })
}

const emptyData: DataPiece[] = [{ kind: 'end', statements: [] }]
async function* given(pieces: readonly DataPiece[]): AsyncGenerator<DataPiece> {
  yield* pieces
}

const noPackage: InstanceApp = { code: 'old', name: 'Old', version: '3', module: 'base', flags: {}, package: null }
