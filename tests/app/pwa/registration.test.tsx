/** Every build that waits is told of, however early it came and however often (P-15, W-09). */
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

  /** As a browser does it: the events come after the states. */
  finds(): FakeWorker {
    this.installing = new FakeWorker()
    this.dispatchEvent(new Event('updatefound'))
    return this.installing
  }
  ends(worker: FakeWorker, state: 'installed' | 'redundant'): void {
    this.installing = null
    if (state === 'installed') this.waiting = worker
    worker.state = state
    worker.dispatchEvent(new Event('statechange'))
  }
}

async function registered(fake: FakeRegistration) {
  vi.useFakeTimers()
  vi.stubGlobal('navigator', { serviceWorker: Object.assign(new EventTarget(), { register: async () => fake }) })
  let told = 0
  const registration = createRegistration(() => (told += 1))
  await registration.register()
  return { registration, told: () => vi.advanceTimersByTimeAsync(1_000).then(() => told > 0) }
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

describe('a build that waits is told of', () => {
  it('when it waited before anybody listened', async () => {
    const fake = new FakeRegistration()
    fake.waiting = new FakeWorker()
    const { told } = await registered(fake)
    expect(await told()).toBe(true)
  })

  it('when it was being installed before anybody listened', async () => {
    const fake = new FakeRegistration()
    const early = fake.finds()
    const { told } = await registered(fake)
    expect(await told()).toBe(false)
    fake.ends(early, 'installed')
    expect(await told()).toBe(true)
  })

  it('when another tab asked for it', async () => {
    const fake = new FakeRegistration()
    const { told } = await registered(fake)
    fake.ends(fake.finds(), 'installed')
    expect(await told()).toBe(true)
  })

  it('after others that could not be installed', async () => {
    const fake = new FakeRegistration()
    const { registration, told } = await registered(fake)
    for (let times = 0; times < 2; times++) fake.ends(fake.finds(), 'redundant')
    expect(await told()).toBe(false)
    fake.update = async () => void fake.finds()
    await registration.update()
    fake.ends(fake.installing as FakeWorker, 'installed')
    expect(await told()).toBe(true)
  })
})

describe('nothing is told of', () => {
  it('the first build of all, which takes over by itself', async () => {
    const fake = new FakeRegistration()
    fake.active = null
    const { told } = await registered(fake)
    const first = fake.finds()
    fake.ends(first, 'installed')
    fake.waiting = null
    fake.active = first
    expect(await told()).toBe(false)
  })

  it('a look that cannot be taken', async () => {
    const fake = new FakeRegistration()
    const { registration, told } = await registered(fake)
    fake.update = () => Promise.reject(new TypeError('offline'))
    await registration.update()
    expect(await told()).toBe(false)
  })
})
