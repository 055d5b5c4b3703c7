import { expect, it, vi } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

const page = vi.hoisted(() => ({ ports: {} as Tablet['ports'] }))
vi.mock('#app/connection/api.ts', () => ({ ...page, workerNow: () => null }))

it('a page over which a change waits says that the server is back as soon as it finds it, without an event (P-11)', async () => {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  tablet.line.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  await tablet.rest()
  Object.assign(page.ports, tablet.ports, { wait: () => new Promise((resolve) => setTimeout(resolve, 20)) })
  const { startTelling } = await import('#app/connection/outbox-triggers.ts')
  const answered = vi.fn()
  startTelling(answered)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(answered).not.toHaveBeenCalled()
  tablet.line.state = 'up'
  await expect.poll(() => answered.mock.calls.length).toBeGreaterThan(0)
})
