import { describe, expect, it } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { readDataLoss } from '#local/outbox/data-loss.ts'
import { parseCounts, formatCounts } from '#local/outbox/counters.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer, refuseWrites } from '#tests/support/device/scripted-server.ts'

async function openSignedInTablet() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.settle()
  return { clock, server, tablet }
}
const changeTitle = (tablet: Tablet, id: number) =>
  tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 1 } })
const subjectKey = `${companyId}:1`

async function leaveThreeWrites(tablet: Tablet) {
  tablet.connection.state = 'down'
  for (const id of [1, 2, 3]) await changeTitle(tablet, id)
  await tablet.settle()
}

describe('the count of waiting writes', () => {
  it('is in the cookie and on the icon, and is zero when all are delivered (requirement 48, P-17)', async () => {
    const { tablet } = await openSignedInTablet()
    await leaveThreeWrites(tablet)
    expect([parseCounts(tablet.tally)[subjectKey], tablet.badge]).toEqual([
      { recordedCount: 3, waitingCount: 3, kinds: { users: 3 } },
      3,
    ])
    tablet.connection.state = 'up'
    await tablet.tick()
    expect([tablet.tally, tablet.badge]).toEqual(['', 0])
  })

  it('includes writes that wait for a decision, and sealed writes (requirement 20)', async () => {
    const { server, tablet } = await openSignedInTablet()
    await leaveThreeWrites(tablet)
    tablet.connection.state = 'up'
    server.script = refuseWrites(409, 'DUP_USER', { 'idempotency-outcome': 'refused; 9' })
    await tablet.tick()
    expect(parseCounts(tablet.tally)[subjectKey]?.waitingCount).toBe(3)
    await tablet.signOut()
    expect(parseCounts(tablet.tally)[subjectKey]?.waitingCount).toBe(3)
  })

  it.each(['', 'x', '7-1.3', '7-1.a.b', '7-1.3.2_rubbish'])('is read safely from the cookie "%s"', (text) => {
    const counts = parseCounts(text)
    expect(parseCounts(formatCounts(counts))).toEqual(counts)
  })
})

describe('a device whose storage the browser deleted (R-18)', () => {
  it('reports how many unsent writes are lost, until its user has seen it (requirement 48)', async () => {
    const { clock, tablet } = await openSignedInTablet()
    await leaveThreeWrites(tablet)
    tablet.loseStorage()
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await readDataLoss(tablet.device)).toEqual({ writes: 3, kinds: { users: 3 }, noticedAt: clock.now() })
    await createOutboxActions(tablet.ports).acknowledgeLoss()
    expect(await readDataLoss(tablet.device)).toBeNull()
    tablet.reopen()
    await tablet.tick()
    expect(await readDataLoss(tablet.device)).toBeNull()
  })

  it('reports the loss to the user of the writes, and not to another user', async () => {
    const { tablet } = await openSignedInTablet()
    await leaveThreeWrites(tablet)
    tablet.loseStorage()
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user2@acme.example')
    expect(await readDataLoss(tablet.device)).toBeNull()
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await readDataLoss(tablet.device)).toMatchObject({ writes: 3 })
  })

  it('reports no loss if only the cookie is out of date because the page died', async () => {
    const { tablet } = await openSignedInTablet()
    await leaveThreeWrites(tablet)
    const staleTally = tablet.tally
    tablet.connection.state = 'up'
    await tablet.tick()
    await tablet.ports.unsentCookie?.write(staleTally)
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await readDataLoss(tablet.device)).toBeNull()
    expect(tablet.tally).toBe('')
  })
})
