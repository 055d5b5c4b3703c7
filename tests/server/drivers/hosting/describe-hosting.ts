/** Tests that every hosting driver has to pass. */
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type {
  DataPiece,
  HostingDriver,
  InstanceApp,
  InstanceLogLine,
  InstanceRef,
} from '#server/drivers/hosting/hosting-driver.ts'
import { describeDeployments } from '#tests/server/drivers/hosting/describe-deployments.ts'
import { config, noPackage, spec, useDriver, withFence } from '#tests/server/drivers/hosting/driver-fixture.ts'
import { type HostingUnderTest, waitUntil } from '#tests/support/hosting/hosting.ts'

/** `hasImages` adds the tests of a platform that gets the program of its instances as an image. */
export function describeHosting(
  name: string,
  openHost: () => HostingUnderTest | Promise<HostingUnderTest>,
  options: { hasImages: boolean },
): void {
  describe(`${name} as a hosting driver`, () => {
    const fixture = useDriver(openHost)
    const { packages, createRef, startInstance, createApp, waitForHealth } = fixture
    let host: HostingUnderTest
    let driver: HostingDriver
    beforeAll(() => {
      ;({ host, driver } = fixture)
    })

    const readLines = async (
      ref: InstanceRef,
      timeRange = { from: 0, to: Date.now() + 60_000 },
    ): Promise<InstanceLogLine[]> => Array.fromAsync(driver.readLog(ref, timeRange))

    /** Waits until the log has a text. */
    const waitForLines = (ref: InstanceRef, pattern: RegExp): Promise<InstanceLogLine[]> =>
      waitUntil(
        `${String(pattern)} in the log of ${ref.code}`,
        async () => {
          const lines = await readLines(ref)
          return pattern.test(lines.map(({ text }) => text).join('\n')) ? lines : null
        },
        host.traits.logDelayMs,
      )

    const readPieces = (ref: InstanceRef): Promise<DataPiece[]> => Array.fromAsync(driver.readData(ref))

    it('has the same result if a call is repeated', async () => {
      const ref = createRef()
      const firstState = await driver.prepare(ref, spec, withFence(1))
      expect(firstState.hadData).toBe(false)
      expect(firstState.address.adminUrl).toBe(firstState.address.url.replace('www', 'admin'))
      expect(await driver.prepare(ref, spec, withFence(1))).toEqual(firstState)
      expect(await driver.look(ref)).toMatchObject({ created: true, wanted: 'stopped', running: null, tasks: [] })
      const apps = [await createApp()]
      for (let time = 0; time < 2; time++) await driver.install(ref, apps, withFence(1))
      for (let time = 0; time < 2; time++) await driver.setPassword(ref, 'First-pass-1', withFence(1))
      await driver.start(ref, { fresh: true }, withFence(1))
      const state = await waitForHealth(ref)
      await driver.start(ref, { fresh: true }, withFence(1))
      await driver.start(ref, { fresh: false }, withFence(2))
      expect((await waitForHealth(ref)).tasks.map(({ started }) => started)).toEqual(
        state.tasks.map(({ started }) => started),
      )
      expect(state).toMatchObject({ ...ref, running: config, healthy: true, fault: null })
      expect(state.apps).toEqual([{ code: 'pay', version: '1.0' }])
      expect(await host.canSignIn(firstState.address, 'First-pass-1')).toBe(true)
      for (let time = 0; time < 2; time++) await driver.stop(ref, withFence(2))
      expect(await driver.look(ref)).toMatchObject({ wanted: 'stopped', tasks: [], running: null, healthy: false })
      for (let time = 0; time < 2; time++) await driver.remove(ref, withFence(3))
      for (let time = 0; time < 2; time++) await driver.erase(ref, withFence(4))
      expect(await driver.look(ref)).toBeNull()
    })

    it('rejects calls with an older fence, and changes nothing', async () => {
      const ref = createRef()
      await driver.prepare(ref, spec, withFence(5))
      const previousState = await driver.look(ref)
      const oldFence = withFence(4)
      const calls = [
        () => driver.prepare(ref, { ...spec, config: { memoryMb: 0, tasks: 4 } }, oldFence),
        () => driver.install(ref, [{ ...noPackage, code: 'late' }], oldFence),
        () => driver.configure(ref, { memoryMb: 2000, tasks: 4 }, oldFence),
        () => driver.start(ref, { fresh: true }, oldFence),
        () => driver.switchOver(ref, oldFence),
        () => driver.rollBack(ref, 'not_healthy', oldFence),
        () => driver.stop(ref, oldFence),
        () => driver.setPassword(ref, 'Late-pass-1', oldFence),
        () => driver.remove(ref, oldFence),
        () => driver.erase(ref, oldFence),
        () => driver.replaceData(ref, streamPieces(emptyData), oldFence),
      ]
      for (const call of calls) await expect(call()).rejects.toMatchObject({ fault: 'overtaken' })
      expect(await driver.look(ref)).toEqual(previousState)
      // The same applies after erasing: a delayed node cannot set the service up again.
      await driver.erase(ref, withFence(6))
      await expect(driver.prepare(ref, spec, withFence(5))).rejects.toMatchObject({ fault: 'overtaken' })
      expect(await driver.look(ref)).toBeNull()
    })

    it('reports the fault "no_instance" for a service that was never prepared', async () => {
      const ref = createRef()
      for (const call of [
        () => driver.install(ref, [], withFence(1)),
        () => driver.configure(ref, config, withFence(1)),
        () => driver.start(ref, { fresh: false }, withFence(1)),
        () => driver.setPassword(ref, 'Any-pass-1', withFence(1)),
        () => readLines(ref),
        () => readPieces(ref),
        () => driver.replaceData(ref, streamPieces(emptyData), withFence(1)),
      ])
        await expect(call()).rejects.toMatchObject({ fault: 'no_instance' })
      await driver.remove(ref, withFence(1))
      await driver.erase(ref, withFence(1))
      expect(await driver.look(ref)).toBeNull()
      expect((await driver.lookAll()).map(({ serviceId }) => serviceId)).not.toContain(ref.serviceId)
    })

    it('keeps data and log of a removed service until they are erased', async () => {
      const ref = await startInstance(createRef())
      await driver.remove(ref, withFence(2))
      const removedState = await driver.look(ref)
      expect(removedState).toMatchObject({ created: false, wanted: 'stopped', tasks: [] })
      expect((await readLines(ref)).length).toBeGreaterThan(0)
      const preparedState = await driver.prepare(ref, spec, withFence(3))
      expect(preparedState).toEqual({ address: removedState?.address, hadData: true })
      expect((await driver.prepare(ref, spec, withFence(3))).hadData).toBe(true)
      await driver.start(ref, { fresh: false }, withFence(3))
      await waitForHealth(ref)
      expect(await host.canSignIn(preparedState.address, 'First-pass-1')).toBe(true)
      await driver.erase(ref, withFence(4))
      await expect(readLines(ref)).rejects.toMatchObject({ fault: 'no_instance' })
      expect((await driver.prepare(ref, spec, withFence(5))).hadData).toBe(false)
      await driver.start(ref, { fresh: false }, withFence(5))
      const { address } = await waitForHealth(ref)
      expect(await host.canSignIn(address, 'First-pass-1')).toBe(false)
      expect(await host.canSignIn(address, '')).toBe(false)
      await driver.stop(ref, withFence(6))
    })

    it('sets the password of a running or stopped service, and ends its sessions', async () => {
      const ref = await startInstance(createRef())
      const { address } = await waitForHealth(ref)
      const cookie = (await host.signIn(address, 'First-pass-1')) ?? ''
      expect(await host.isSignedIn(address, cookie)).toBe(true)
      await driver.setPassword(ref, 'Second-pass-2', withFence(2))
      expect(await host.isSignedIn(address, cookie)).toBe(false)
      expect(await host.canSignIn(address, 'First-pass-1')).toBe(false)
      const secondCookie = (await host.signIn(address, 'Second-pass-2')) ?? ''
      expect(await host.isSignedIn(address, secondCookie)).toBe(true)
      await driver.stop(ref, withFence(3))
      await driver.setPassword(ref, '第三个密码 "$x', withFence(3))
      await driver.start(ref, { fresh: false }, withFence(3))
      await waitForHealth(ref)
      expect(await host.isSignedIn(address, secondCookie)).toBe(false)
      expect(await host.canSignIn(address, '第三个密码 "$x')).toBe(true)
      await driver.stop(ref, withFence(4))
    })

    it('applies a new configuration at the next start, and returns the running configuration until then', async () => {
      const ref = await startInstance(createRef())
      const { getLimitMb, changeMs } = host.traits
      const nextConfig = { memoryMb: 1000, tasks: 2 }
      await driver.configure(ref, nextConfig, withFence(2))
      await driver.start(ref, { fresh: false }, withFence(2))
      expect(await driver.look(ref)).toMatchObject({
        config: nextConfig,
        running: config,
        tasks: [{ limitMb: getLimitMb(0) }],
      })
      await driver.start(ref, { fresh: true }, withFence(3))
      const state = await waitUntil(
        'two with 1000 MB',
        async () => {
          const currentState = await driver.look(ref)
          return (
            currentState?.running?.memoryMb === 1000 &&
            currentState.tasks.length === 2 &&
            currentState.tasks.every((task) => task.healthy) &&
            currentState
          )
        },
        changeMs,
      )
      expect(state).toMatchObject({
        running: nextConfig,
        tasks: [
          { number: 1, limitMb: getLimitMb(1000) },
          { number: 2, limitMb: getLimitMb(1000) },
        ],
      })
      await driver.configure(ref, { memoryMb: 0, tasks: 0 }, withFence(4))
      await driver.start(ref, { fresh: true }, withFence(4))
      await waitUntil('none', async () => (await driver.look(ref))?.tasks.length === 0, changeMs)
      // The platform decides the number of tasks (D42).
      await driver.configure(ref, { memoryMb: 0, tasks: -1 }, withFence(5))
      await driver.start(ref, { fresh: true }, withFence(5))
      expect((await waitForHealth(ref)).tasks).toMatchObject([{ limitMb: getLimitMb(0) }])
      await driver.stop(ref, withFence(6))
    })

    it('reads the same data of a running, stopped or removed service', async () => {
      const ref = await startInstance(createRef())
      await driver.stop(ref, withFence(2))
      const stoppedData = await readPieces(ref)
      expect(stoppedData.at(-1)).toMatchObject({ kind: 'end' })
      expect(stoppedData.filter(({ kind }) => kind === 'table').length).toBeGreaterThan(0)
      await driver.start(ref, { fresh: false }, withFence(3))
      await waitForHealth(ref)
      expect(await readPieces(ref)).toEqual(stoppedData)
      await driver.remove(ref, withFence(4))
      expect(await readPieces(ref)).toEqual(stoppedData)
      await driver.erase(ref, withFence(5))
      await expect(readPieces(ref)).rejects.toMatchObject({ fault: 'no_instance' })
    })

    it('replaces the data with that of another service, and restarts the service only if it was running', async () => {
      const sourceRef = await startInstance(createRef())
      const targetRef = await startInstance(createRef())
      await driver.setPassword(sourceRef, 'Other-pass-2', withFence(2))
      const data = await readPieces(sourceRef)
      const { address, tasks } = await waitForHealth(targetRef)
      const cookie = (await host.signIn(address, 'First-pass-1')) ?? ''
      await driver.replaceData(targetRef, streamPieces(data), withFence(2))
      const currentState = await waitForHealth(targetRef)
      expect(currentState.tasks[0]?.started).toBeGreaterThan(tasks[0]?.started ?? 0)
      expect(currentState.address).toEqual(address)
      expect(await readPieces(targetRef)).toEqual(data)
      expect(await host.isSignedIn(address, cookie)).toBe(false)
      expect(await host.canSignIn(address, 'First-pass-1')).toBe(false)
      expect(await host.canSignIn(address, 'Other-pass-2')).toBe(true)
      await driver.stop(targetRef, withFence(3))
      await driver.replaceData(targetRef, streamPieces(data), withFence(3))
      expect(await driver.look(targetRef)).toMatchObject({ wanted: 'stopped', tasks: [] })
      expect(await readPieces(targetRef)).toEqual(data)
      // After it is set up again, the service has the replaced data.
      await driver.remove(targetRef, withFence(4))
      expect(await driver.prepare(targetRef, spec, withFence(5))).toMatchObject({ hadData: true })
      await driver.remove(sourceRef, withFence(6))
      await expect(driver.replaceData(sourceRef, streamPieces(data), withFence(7))).rejects.toMatchObject({
        fault: 'no_instance',
      })
    })

    it('keeps the old data and continues if the new pieces fail or are inconsistent', async () => {
      const ref = await startInstance(createRef())
      const data = await readPieces(ref)
      const { tasks } = await waitForHealth(ref)
      async function* yieldThenCut() {
        yield* data.slice(0, 3)
        throw new Error('cut off')
      }
      await expect(driver.replaceData(ref, yieldThenCut(), withFence(2))).rejects.toThrow('cut off')
      async function* yieldThenFail() {
        yield* data
        throw new Error('not what was written')
      }
      await expect(driver.replaceData(ref, yieldThenFail(), withFence(2))).rejects.toThrow('not what was written')
      const [endPiece] = data.slice(-1)
      const rows = data.filter(({ kind }) => kind === 'rows')
      for (const pieces of [data.slice(0, -1), [...data, ...data], [endPiece, endPiece], [...rows, ...data]])
        await expect(driver.replaceData(ref, streamPieces(pieces as DataPiece[]), withFence(2))).rejects.toMatchObject({
          fault: 'bad_data',
        })
      expect(await readPieces(ref)).toEqual(data)
      expect((await waitForHealth(ref)).tasks.map(({ started }) => started)).toEqual(
        tasks.map(({ started }) => started),
      )
    })

    it('reads the log of a time range, oldest first', async () => {
      const ref = await startInstance(createRef())
      const { address } = await waitForHealth(ref)
      const startAt = Date.now()
      await host.canSignIn(address, 'Wrong-pass-1')
      await host.canSignIn(address, 'First-pass-1')
      const endAt = Date.now() + 1
      await driver.stop(ref, withFence(2))
      const allLines = await waitForLines(ref, /admin refused[^]*login of admin/)
      const someLines = await readLines(ref, { from: startAt, to: endAt })
      expect(someLines.length).toBeGreaterThan(1)
      expect(someLines.length).toBeLessThan(allLines.length)
      expect(someLines).toEqual(allLines.filter(({ time }) => time >= startAt && time < endAt))
      expect(allLines.map(({ time }) => time)).toEqual(allLines.map(({ time }) => time).toSorted((a, b) => a - b))
      expect(someLines.map(({ text }) => text).join('\n')).toMatch(/admin refused[^]*login of admin/)
      expect(JSON.stringify(allLines)).not.toMatch(/pass-1/)
      expect([await readLines(ref, { from: endAt, to: startAt }), await readLines(ref, { from: 0, to: 1 })]).toEqual([
        [],
        [],
      ])
    })

    it('installs published packages, and rejects others', async () => {
      const ref = createRef()
      await driver.prepare(ref, spec, withFence(1))
      const [firstApp, secondApp] = [await createApp(), await createApp({ version: '1.1' })]
      await driver.install(ref, [firstApp, noPackage], withFence(1))
      const refusedApps: InstanceApp[] = [
        { ...secondApp, package: { path: join(packages, 'none.mapp'), sha256: secondApp.package?.sha256 ?? '' } },
        { ...secondApp, package: { path: firstApp.package?.path ?? '', sha256: secondApp.package?.sha256 ?? '' } },
        { ...secondApp, package: { path: firstApp.package?.path ?? '', sha256: '../../x' } },
      ]
      const brokenPackage = join(packages, 'broken.mapp')
      writeFileSync(brokenPackage, 'no zip file')
      const sha256 = createHash('sha256').update('no zip file').digest('hex')
      refusedApps.push({ ...secondApp, package: { path: brokenPackage, sha256 } })
      for (const app of refusedApps)
        await expect(driver.install(ref, [app], withFence(1))).rejects.toMatchObject({ fault: 'bad_package' })
      const listVersions = async () => (await driver.look(ref))?.apps.map(({ code, version }) => `${code} ${version}`)
      expect(await listVersions()).toEqual(['pay 1.0', 'old 3'])
      await driver.install(ref, [secondApp], withFence(2))
      expect(await listVersions()).toEqual(['pay 1.1'])
    })

    it('notifies listeners of changes until they unsubscribe', async () => {
      const ref = createRef()
      const changedRefs: InstanceRef[] = []
      const stop = driver.watch((ref) => void changedRefs.push(ref))
      await driver.prepare(ref, spec, withFence(1))
      const { changeMs } = host.traits
      const isNotified = () => changedRefs.some(({ serviceId }) => serviceId === ref.serviceId)
      await waitUntil('the change', isNotified, changeMs)
      await driver.start(ref, { fresh: false }, withFence(1))
      await waitForHealth(ref)
      stop()
      const otherRef = createRef()
      await driver.prepare(otherRef, spec, withFence(1))
      await driver.stop(ref, withFence(2))
      expect(changedRefs.filter(({ serviceId }) => serviceId === otherRef.serviceId)).toEqual([])
    })

    describeDeployments(fixture, options)
  })
}

const emptyData: DataPiece[] = [{ kind: 'end', statements: [] }]
async function* streamPieces(pieces: readonly DataPiece[]): AsyncGenerator<DataPiece> {
  yield* pieces
}
