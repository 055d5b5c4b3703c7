/** Every build that waits is told of, however early it came and however often (P-15, W-09). */
import { describe, expect, it } from 'vitest'
import { followWaiting } from '#app/waiting.ts'

class FakeWorker extends EventTarget {
  state = 'installing'

  becomes(state: string) {
    this.state = state
    this.dispatchEvent(new Event('statechange'))
  }
}

class FakeRegistration extends EventTarget {
  active: FakeWorker | null = new FakeWorker()
  waiting: FakeWorker | null = null
  installing: FakeWorker | null = null

  finds(): FakeWorker {
    this.installing = new FakeWorker()
    this.dispatchEvent(new Event('updatefound'))
    return this.installing
  }
}

function followed(registration: FakeRegistration) {
  let told = 0
  followWaiting(registration as unknown as ServiceWorkerRegistration, () => (told += 1))
  return () => told
}

describe('a build that waits is told of', () => {
  it('when it waited before anybody listened', () => {
    const registration = new FakeRegistration()
    registration.waiting = new FakeWorker()
    expect(followed(registration)()).toBe(1)
  })

  it('when it was being installed before anybody listened', () => {
    const registration = new FakeRegistration()
    const early = registration.finds()
    const told = followed(registration)
    expect(told()).toBe(0)
    early.becomes('installed')
    expect(told()).toBe(1)
  })

  it('again when a newer one comes, whoever asked for it', () => {
    const registration = new FakeRegistration()
    const told = followed(registration)
    registration.finds().becomes('installed')
    registration.finds().becomes('installed')
    expect(told()).toBe(2)
  })
})

describe('nothing is told of', () => {
  it('the first build of all, which takes over by itself', () => {
    const registration = new FakeRegistration()
    registration.active = null
    const told = followed(registration)
    const first = registration.finds()
    first.becomes('installed')
    registration.active = first
    first.becomes('activating')
    expect(told()).toBe(0)
  })

  it('a build whose installation failed', () => {
    const registration = new FakeRegistration()
    const told = followed(registration)
    registration.finds().becomes('redundant')
    expect(told()).toBe(0)
  })
})
