import { describe, expect, it } from 'vitest'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { hasLapsed } from '#local/session/session.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet } from '#tests/support/device.ts'
import { company } from '#tests/support/device-database.ts'
import { createScripted } from '#tests/support/scripted.ts'

const users = { params: { companyId: company } }
const rename = { params: { id: 2 }, body: { title: 1 as const } }
const half = 6 * 3_600_000

async function signedIn() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, users)
  await tablet.rest()
  const lapsed = async () => {
    const session = await tablet.session()
    return session !== null && hasLapsed(session, clock.now())
  }
  return { clock, tablet, lapsed }
}

describe('a session that runs out while nobody can be asked (W-06)', () => {
  it('can be read, and takes no writes; what waited before goes on waiting', async () => {
    const { clock, tablet, lapsed } = await signedIn()
    tablet.line.state = 'down'
    expect((await tablet.api.call(updateCompanyUser, rename)).kind).toBe('queued')
    await clock.turn(2 * half + 1)
    expect(await lapsed()).toBe(true)
    tablet.cookies.delete('portal-access')
    expect(await tablet.api.call(updateCompanyUser, rename)).toMatchObject({ problem: { code: 'SESSION_LAPSED' } })
    expect((await tablet.api.call(listUsers, users)).kind).toBe('kept')
    expect(await tablet.waiting()).toBe(1)
    expect(await tablet.session()).toMatchObject({ userId: 1, signedOut: false })
  })

  it('lasts as long as it is renewed, and begins anew with a sign-in', async () => {
    const { clock, tablet, lapsed } = await signedIn()
    await clock.turn(half)
    tablet.cookies.delete('portal-access')
    await tablet.api.call(listUsers, users)
    await clock.turn(half + 1_000)
    expect(await lapsed()).toBe(false)
    await clock.turn(half)
    expect(await lapsed()).toBe(true)
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await lapsed()).toBe(false)
  })

  it('fault 46c: what waits is said to wait for a login, and not for the connection', async () => {
    const { clock, tablet } = await signedIn()
    tablet.line.state = 'down'
    const result = await tablet.api.call(updateCompanyUser, rename)
    const intent = 'intent' in result ? (result.intent ?? '') : ''
    await tablet.rest()
    const { whyWaits } = createOutboxActions(tablet.ports)
    expect(await whyWaits(intent)).toMatchObject({ why: 'line' })
    await clock.turn(2 * half + 1)
    expect(await whyWaits(intent)).toEqual({ why: 'sign in' })
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(await whyWaits(intent)).toBeNull()
  })
})
