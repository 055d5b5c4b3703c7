import { describe, expect, it } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { readLoss } from '#local/outbox/data-loss.ts'
import { readCounts, writeCounts } from '#local/outbox/counters.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted, toWrites } from '#tests/support/device/scripted.ts'

async function signedIn() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.rest()
  return { clock, server, tablet }
}
const retitle = (tablet: Tablet, id: number) =>
  tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 1 } })
const me = `${company}:1`

async function leaveThree(tablet: Tablet) {
  tablet.line.state = 'down'
  for (const id of [1, 2, 3]) await retitle(tablet, id)
  await tablet.rest()
}

describe('how many writes wait', () => {
  it('stands in the cookie and on the icon, and falls to nothing when all are delivered (requirement 48, P-17)', async () => {
    const { tablet } = await signedIn()
    await leaveThree(tablet)
    expect([readCounts(tablet.tally)[me], tablet.badge]).toEqual([{ made: 3, waiting: 3, kinds: { users: 3 } }, 3])
    tablet.line.state = 'up'
    await tablet.tick()
    expect([tablet.tally, tablet.badge]).toEqual(['', 0])
  })

  it('counts what waits for a decision too, and what is sealed (requirement 20)', async () => {
    const { server, tablet } = await signedIn()
    await leaveThree(tablet)
    tablet.line.state = 'up'
    server.script = toWrites(409, 'DUP_USER', { 'idempotency-outcome': 'refused; 9' })
    await tablet.tick()
    expect(readCounts(tablet.tally)[me]?.waiting).toBe(3)
    await tablet.signOut()
    expect(readCounts(tablet.tally)[me]?.waiting).toBe(3)
  })

  it.each(['', 'x', '7-1.3', '7-1.a.b', '7-1.3.2_rubbish'])('reads a cookie that says "%s" without harm', (text) => {
    const read = readCounts(text)
    expect(readCounts(writeCounts(read))).toEqual(read)
  })
})

describe('a device whose storage the browser took away (R-18)', () => {
  it('says how many unsent writes are gone, until its user has seen it (requirement 48)', async () => {
    const { clock, tablet } = await signedIn()
    await leaveThree(tablet)
    tablet.loseStorage()
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await readLoss(tablet.device)).toEqual({ writes: 3, kinds: { users: 3 }, noticedAt: clock.now() })
    await createOutboxActions(tablet.ports).acknowledgeLoss()
    expect(await readLoss(tablet.device)).toBeNull()
    tablet.reopen()
    await tablet.tick()
    expect(await readLoss(tablet.device)).toBeNull()
  })

  it('says nothing to another user, and nothing where all was delivered', async () => {
    const { tablet } = await signedIn()
    await leaveThree(tablet)
    tablet.loseStorage()
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user2@acme.example')
    expect(await readLoss(tablet.device)).toBeNull()
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await readLoss(tablet.device)).toMatchObject({ writes: 3 })
  })

  it('gives no alarm where the cookie is only late: the page died between the two', async () => {
    const { tablet } = await signedIn()
    await leaveThree(tablet)
    const late = tablet.tally
    tablet.line.state = 'up'
    await tablet.tick()
    await tablet.ports.tally?.write(late)
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await readLoss(tablet.device)).toBeNull()
    expect(tablet.tally).toBe('')
  })
})
