import { expect, it, vi } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

const page = vi.hoisted(() => ({ ports: {} as Tablet['ports'] }))
vi.mock('#app/connection/api.ts', () => ({ ...page, getWorker: () => null }))

it('A page with a waiting change notices that the server is back without a browser event (P-11)', async () => {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  tablet.connection.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  await tablet.settle()
  Object.assign(page.ports, tablet.ports, { wait: () => new Promise((resolve) => setTimeout(resolve, 20)) })
  const { startOutboxTriggers } = await import('#app/connection/outbox-triggers.ts')
  const onServerReached = vi.fn()
  startOutboxTriggers(onServerReached)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(onServerReached).not.toHaveBeenCalled()
  tablet.connection.state = 'up'
  await expect.poll(() => onServerReached.mock.calls.length).toBeGreaterThan(0)
})
