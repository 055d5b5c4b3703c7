/** Tests that the page reports every waiting build, however early it arrives and however many arrive (P-15, W-09). */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRegistration } from '#app/pwa/registration.ts'

class FakeWorker extends EventTarget {
  scriptURL = new URL('/saas/sw.js', location.href).href
  state = 'installing'
}

class FakeRegistration extends EventTarget {
  active: FakeWorker | null = new FakeWorker()
  waiting: FakeWorker | null = null
  installing: FakeWorker | null = null
  update = async () => {}

  /** Fires the events after the states have changed, as a browser does. */
  startInstalling(): FakeWorker {
    this.installing = new FakeWorker()
    this.dispatchEvent(new Event('updatefound'))
    return this.installing
  }
  endInstalling(worker: FakeWorker, state: 'installed' | 'redundant'): void {
    this.installing = null
    if (state === 'installed') this.waiting = worker
    worker.state = state
    worker.dispatchEvent(new Event('statechange'))
  }
}

async function registerFake(fake: FakeRegistration) {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { serviceWorker: Object.assign(new EventTarget(), { register: async () => fake }) })
  let notifications = 0
  const registration = createRegistration(() => (notifications += 1))
  await registration.register()
  return { registration, isNotified: () => vi.advanceTimersByTimeAsync(1_000).then(() => notifications > 0) }
}

/** A browser reports the end of an installation in a later task than the registration. */
const runMicrotasks = () => new Promise((resolve) => setTimeout(resolve))

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('registering the worker, with a new build', () => {
  it('notifies of a build that was already waiting', async () => {
    const fake = new FakeRegistration()
    fake.waiting = new FakeWorker()
    const { isNotified } = await registerFake(fake)
    expect(await isNotified()).toBe(true)
  })

  it('notifies of a build whose installation was already running', async () => {
    const fake = new FakeRegistration()
    const earlyWorker = fake.startInstalling()
    const { isNotified } = await registerFake(fake)
    expect(await isNotified()).toBe(false)
    fake.endInstalling(earlyWorker, 'installed')
    expect(await isNotified()).toBe(true)
  })

  it('notifies of a build that another tab has requested', async () => {
    const fake = new FakeRegistration()
    const { isNotified } = await registerFake(fake)
    fake.endInstalling(fake.startInstalling(), 'installed')
    expect(await isNotified()).toBe(true)
  })

  it('notifies of a build after others that could not be installed', async () => {
    const fake = new FakeRegistration()
    const { registration, isNotified } = await registerFake(fake)
    for (let round = 0; round < 2; round++) fake.endInstalling(fake.startInstalling(), 'redundant')
    expect(await isNotified()).toBe(false)
    fake.update = async () => void fake.startInstalling()
    await registration.update()
    fake.endInstalling(fake.installing as FakeWorker, 'installed')
    expect(await isNotified()).toBe(true)
  })
})

describe('registering the worker, without a new build', () => {
  it('does not notify of the first build, which takes control without a notice', async () => {
    const fake = new FakeRegistration()
    fake.active = null
    const { isNotified } = await registerFake(fake)
    const firstWorker = fake.startInstalling()
    fake.endInstalling(firstWorker, 'installed')
    fake.waiting = null
    fake.active = firstWorker
    expect(await isNotified()).toBe(false)
  })

  it('rejects if the first worker cannot be installed, and succeeds when it is called again', async () => {
    const fake = new FakeRegistration()
    fake.active = null
    vi.stubGlobal('navigator', { serviceWorker: Object.assign(new EventTarget(), { register: async () => fake }) })
    const registration = createRegistration(() => undefined)
    const refusedWorker = fake.startInstalling()
    const refused = registration.register()
    const isRejected = expect(refused).rejects.toThrow('could not be installed')
    await runMicrotasks()
    fake.endInstalling(refusedWorker, 'redundant')
    await isRejected
    const worker = fake.startInstalling()
    const registered = registration.register()
    await runMicrotasks()
    fake.endInstalling(worker, 'installed')
    expect(await registered).toBeNull()
  })

  it('does not notify if the check for an update fails', async () => {
    const fake = new FakeRegistration()
    const { registration, isNotified } = await registerFake(fake)
    fake.update = () => Promise.reject(new TypeError('offline'))
    await registration.update()
    expect(await isNotified()).toBe(false)
  })
})
