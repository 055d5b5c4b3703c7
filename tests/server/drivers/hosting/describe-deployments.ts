/** Tests of deployments that every hosting driver has to pass: completed, rolled back, and what a broken version leaves. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Deployment, HostingDriver, InstanceRef, InstanceState } from '#server/drivers/hosting/hosting-driver.ts'
import {
  config,
  createBreak,
  type DriverFixture,
  noPackage,
  spec,
  withFence,
} from '#tests/server/drivers/hosting/driver-fixture.ts'
import type { HostingUnderTest } from '#tests/support/hosting/hosting.ts'

/** The earlier tasks are listed until they have been replaced. */
const isReplaced = (before: InstanceState, { tasks, deployment }: InstanceState) =>
  tasks.length === 1 && deployment?.healthyTasks === 1 && (tasks[0]?.started ?? 0) > (before.tasks[0]?.started ?? 0)

const getStartTimes = ({ tasks }: InstanceState) => tasks.map(({ started }) => started)

export function describeDeployments(fixture: DriverFixture, { hasImages }: { hasImages: boolean }): void {
  describe('deployments', () => {
    const { createRef, startInstance, createApp, waitForHealth, waitForState } = fixture
    let host: HostingUnderTest
    let driver: HostingDriver
    beforeAll(() => {
      ;({ host, driver } = fixture)
    })

    const readDeployment = async (ref: InstanceRef) => (await driver.look(ref))?.deployment ?? null
    const createDeployment = (fence: number, state: Deployment['state'], overrides: Partial<Deployment> = {}) => ({
      fence,
      state,
      healthyTasks: 1,
      wantedTasks: 1,
      fault: null,
      ...overrides,
    })

    /** Starts an instance with an app, completes its deployment, and updates it to a version that is never healthy, with fence 3. */
    async function startBrokenUpdate(): Promise<{ ref: InstanceRef; previousState: InstanceState }> {
      const app = await createApp()
      const ref = await startInstance(createRef(), {}, [app])
      await driver.switchOver(ref, withFence(1))
      const previousState = await waitForHealth(ref)
      await driver.install(ref, [{ ...app, version: '1.1' }, createBreak('sick')], withFence(3))
      await driver.configure(ref, { memoryMb: 1000, tasks: 1 }, withFence(3))
      await driver.start(ref, { fresh: true }, withFence(3))
      return { ref, previousState }
    }

    it('is in progress until it is switched over, by its own operation only', async () => {
      const ref = createRef()
      await driver.prepare(ref, spec, withFence(1))
      expect(await readDeployment(ref)).toBeNull()
      await driver.start(ref, { fresh: true }, withFence(3))
      expect(await readDeployment(ref)).toMatchObject({ fence: 3, state: 'in_progress', wantedTasks: 1 })
      const firstState = await waitForHealth(ref)
      expect(await readDeployment(ref)).toEqual(createDeployment(3, 'in_progress'))
      await expect(driver.switchOver(ref, withFence(2))).rejects.toMatchObject({ fault: 'overtaken' })
      for (let time = 0; time < 2; time++) await driver.switchOver(ref, withFence(3))
      expect(await readDeployment(ref)).toEqual(createDeployment(3, 'completed'))

      await driver.start(ref, { fresh: true }, withFence(4))
      const state = await waitForState(
        ref,
        'the second deployment',
        (currentState) => currentState.deployment?.fence === 4 && isReplaced(firstState, currentState),
      )
      // Another operation neither completes nor reverts it.
      await driver.switchOver(ref, withFence(5))
      await driver.rollBack(ref, 'not_healthy', withFence(5))
      expect(await driver.look(ref)).toMatchObject({ deployment: createDeployment(4, 'in_progress'), fault: null })
      expect(getStartTimes(await waitForHealth(ref))).toEqual(getStartTimes(state))
      await driver.stop(ref, withFence(6))
      expect(await readDeployment(ref)).toBeNull()
    })

    it('returns to the apps that run if the start of the others was refused', async () => {
      const app = await createApp()
      const ref = await startInstance(createRef(), {}, [app])
      await driver.switchOver(ref, withFence(1))
      await driver.install(ref, [{ ...app, version: '1.1' }], withFence(3))
      await driver.rollBack(ref, 'no_memory', withFence(3))
      expect(await driver.look(ref)).toMatchObject({ apps: [{ code: 'pay', version: '1.0' }], fault: null })
    })

    it('returns to the version that ran, with its data and apps, and keeps the fault until the next operation', async () => {
      const { ref, previousState } = await startBrokenUpdate()
      const { address } = previousState
      expect(await readDeployment(ref)).toMatchObject({ fence: 3, state: 'in_progress', healthyTasks: 0 })
      // The version that ran answers until the next one is healthy.
      expect(await host.canSignIn(address, 'First-pass-1')).toBe(true)
      await expect(driver.rollBack(ref, 'not_healthy', withFence(2))).rejects.toMatchObject({ fault: 'overtaken' })
      await driver.rollBack(ref, 'not_healthy', withFence(3))
      const isRolledBack = ({ deployment, healthy, tasks }: InstanceState) =>
        deployment?.state === 'rolled_back' && healthy && tasks.length === 1
      const state = await waitForState(ref, 'the rollback', isRolledBack)
      expect(state).toMatchObject({
        wanted: 'running',
        running: config,
        active: config,
        apps: [{ code: 'pay', version: '1.0' }],
        fault: 'not_healthy',
        deployment: { fence: 3, state: 'rolled_back', fault: 'not_healthy' },
      })
      expect(await host.canSignIn(address, 'First-pass-1')).toBe(true)
      await driver.rollBack(ref, 'not_healthy', withFence(3))
      await driver.switchOver(ref, withFence(3))
      const repeatedState = await waitForState(ref, 'the repeated rollback', isRolledBack)
      expect(repeatedState).toEqual(
        expect.objectContaining({ deployment: state.deployment, fault: state.fault, apps: state.apps }),
      )
      expect(getStartTimes(repeatedState)).toEqual(getStartTimes(state))

      await driver.install(ref, [noPackage], withFence(4))
      await driver.start(ref, { fresh: true }, withFence(4))
      const nextState = await waitForState(
        ref,
        'the next deployment',
        ({ deployment, healthy }) => deployment?.fence === 4 && deployment.healthyTasks === 1 && healthy,
      )
      expect(nextState).toMatchObject({ apps: [{ code: 'old' }], fault: null, deployment: { state: 'in_progress' } })
      await driver.stop(ref, withFence(5))
    })

    it('does not roll back a completed deployment', async () => {
      const ref = await startInstance(createRef())
      await driver.switchOver(ref, withFence(1))
      const firstState = await waitForHealth(ref)
      await driver.install(ref, [noPackage], withFence(2))
      await driver.start(ref, { fresh: true }, withFence(2))
      const state = await waitForState(ref, 'the new version', (currentState) => isReplaced(firstState, currentState))
      await driver.switchOver(ref, withFence(2))
      await driver.rollBack(ref, 'not_healthy', withFence(2))
      const finalState = await waitForHealth(ref)
      expect(finalState).toMatchObject({ apps: [{ code: 'old' }], fault: null, deployment: { state: 'completed' } })
      expect(getStartTimes(finalState)).toEqual(getStartTimes(state))
      await driver.stop(ref, withFence(3))
    })

    it('keeps the tasks of a first start that cannot be rolled back, and the next version replaces them', async () => {
      const ref = createRef()
      await driver.prepare(ref, spec, withFence(1))
      await driver.setPassword(ref, 'First-pass-1', withFence(1))
      await driver.install(ref, [createBreak('sick')], withFence(1))
      await driver.start(ref, { fresh: false }, withFence(1))
      await driver.rollBack(ref, 'not_healthy', withFence(1))
      expect(await driver.look(ref)).toMatchObject({
        wanted: 'running',
        active: config,
        healthy: false,
        apps: [{ code: 'sick' }],
        deployment: { fence: 1, fault: 'not_healthy' },
      })
      await driver.install(ref, [], withFence(2))
      await driver.start(ref, { fresh: true }, withFence(2))
      const isHealthy = ({ healthy, apps, deployment }: InstanceState) =>
        healthy && apps.length === 0 && deployment?.healthyTasks === 1
      const { address, fault } = await waitForState(ref, 'the corrected version', isHealthy)
      expect(fault).toBeNull()
      expect(await host.canSignIn(address, 'First-pass-1')).toBe(true)
      await driver.stop(ref, withFence(3))
    })

    it.each([
      ['exits', 'keeps_ending'],
      ['grows', 'out_of_memory'],
      ['sick', 'not_healthy'],
    ] as const)('reports the fault of a version that %s, and returns to the one that ran', async (kind, fault) => {
      const ref = await startInstance(createRef())
      await driver.switchOver(ref, withFence(1))
      await driver.install(ref, [createBreak(kind)], withFence(2))
      await driver.start(ref, { fresh: true }, withFence(2))
      const isReported = (state: InstanceState) => (state.deployment?.fault ?? state.fault) === fault
      await waitForState(ref, `the fault ${fault}`, isReported)
      await driver.rollBack(ref, fault, withFence(2))
      const isRolledBack = ({ deployment, healthy, apps }: InstanceState) =>
        deployment?.state === 'rolled_back' && healthy && apps.length === 0
      const { address } = await waitForState(ref, 'the rollback', isRolledBack)
      expect(await host.canSignIn(address, 'First-pass-1')).toBe(true)
      await driver.stop(ref, withFence(3))
    })

    if (!hasImages) return
    it('reports a missing image, and returns to the image that ran', async () => {
      const broken = host.openWithoutImage()
      try {
        const ref = await startInstance(createRef())
        await driver.switchOver(ref, withFence(1))
        const startError = await broken.start(ref, { fresh: true }, withFence(2)).then(
          () => null,
          (error: unknown) => error,
        )
        if (startError !== null) expect(startError).toMatchObject({ fault: 'no_image' })
        else {
          await waitForState(ref, 'the fault no_image', (state) => state.deployment?.fault === 'no_image')
          await broken.rollBack(ref, 'no_image', withFence(2))
        }
        const { address } = await waitForHealth(ref)
        expect(await host.canSignIn(address, 'First-pass-1')).toBe(true)
        await driver.stop(ref, withFence(3))
      } finally {
        await broken.close()
      }
    })
  })
}
