import { describe, expect, it } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { pauseSending } from '#local/outbox/settle-entry.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { createProbe } from '#request/writes/reconnect-probe.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer, buildRefusal, refuseWrites } from '#tests/support/device/scripted-server.ts'

async function openTabletWithWaitingWrite() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  tablet.connection.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  await tablet.settle()
  return { clock, server, tablet, probe: createProbe(tablet.ports) }
}
const countProbes = ({ connection }: Tablet) =>
  connection.log.filter(({ request }) => request.path === '/health/live').length
const countWrites = ({ connection }: Tablet) =>
  connection.log.filter(({ request }) => request.headers['idempotency-key']).length

describe('a visible page with writes that wait for the connection', () => {
  it('finds the server in the first successful round, after any number of failures, and sends (O2)', async () => {
    const { tablet, probe } = await openTabletWithWaitingWrite()
    for (let round = 0; round < 100; round++) expect(await probe()).toBe('nothing')
    const previousWrites = countWrites(tablet)
    tablet.connection.state = 'up'
    expect(await probe()).toBe('immediate')
    await sendOutbox(tablet.ports, { immediate: true })
    expect(countWrites(tablet) - previousWrites).toBe(1)
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('sends no probe if nothing waits, and opens no database for that', async () => {
    const { tablet, probe } = await openTabletWithWaitingWrite()
    tablet.connection.state = 'up'
    await tablet.tick()
    const previousProbes = countProbes(tablet)
    const { device } = tablet.ports
    tablet.ports.device = () => Promise.reject(new Error('it was opened'))
    expect(await probe()).toBe('nothing')
    tablet.ports.device = device
    expect(countProbes(tablet)).toBe(previousProbes)
  })

  it('does not mistake a login page for the server', async () => {
    const { tablet, probe } = await openTabletWithWaitingWrite()
    tablet.connection.state = 'captive'
    expect(await probe()).toBe('nothing')
  })

  it('sends no probe while the server requests a pause (Retry-After)', async () => {
    const { clock, tablet, probe } = await openTabletWithWaitingWrite()
    const db = tablet.device.getDatabase({ companyId, userId: 1 })
    await pauseSending(db, clock.now(), 30_000)
    tablet.connection.state = 'up'
    const previousProbes = countProbes(tablet)
    expect(await probe()).toBe('nothing')
    expect(countProbes(tablet)).toBe(previousProbes)
    await clock.advance(31_000)
    expect(await probe()).toBe('immediate')
  })

  it('tries less often if the connection works but no write succeeds', async () => {
    const { server, tablet, probe } = await openTabletWithWaitingWrite()
    tablet.connection.state = 'up'
    server.script = (request, respond) =>
      request.headers['idempotency-key'] ? buildRefusal(502, 'BAD_GATEWAY') : respond()
    const previousWrites = countWrites(tablet)
    const probeRounds = async (rounds: number) => {
      for (let round = 0; round < rounds; round++)
        if ((await probe()) === 'immediate') await sendOutbox(tablet.ports, { immediate: true })
    }
    await probeRounds(30)
    const firstWrites = countWrites(tablet) - previousWrites
    expect(firstWrites).toBe(30)
    await probeRounds(170)
    expect(countWrites(tablet) - previousWrites - firstWrites).toBeLessThanOrEqual(15)
  })
})

describe('a connection that fails most writes (R-05)', () => {
  it('is tried in every round as long as some writes succeed (O2)', async () => {
    const { server, tablet, probe } = await openTabletWithWaitingWrite()
    tablet.connection.state = 'up'
    server.script = (request, respond) =>
      request.headers['idempotency-key'] ? buildRefusal(502, 'BAD_GATEWAY') : respond()
    const probeOnce = async () => {
      const probeResult = await probe()
      if (probeResult === 'immediate') await sendOutbox(tablet.ports, { immediate: true })
      return probeResult
    }
    for (let index = 0; index < 60; index++) {
      // Another write is added every ten rounds, so that the number of waiting writes changes, as it does when one of many writes is
      // delivered.
      if (index % 10 === 0)
        await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { name: `User ${index}` } })
      await tablet.settle()
      expect(await probeOnce()).toBe('immediate')
    }
    server.script = null
    expect(await probeOnce()).toBe('immediate')
    expect(await tablet.countWaiting()).toBe(0)
  })
})

describe('a write whose sender died', () => {
  it('is found by the next round, and is sent (O2)', async () => {
    const { server, tablet, probe } = await openTabletWithWaitingWrite()
    const db = tablet.device.getDatabase({ companyId, userId: 1 })
    await db.outbox.toCollection().modify({ state: 'sending', delayedBy: null, notBefore: 0 })
    tablet.connection.state = 'up'
    expect(await probe()).toBe('go')
    await sendOutbox(tablet.ports)
    expect(server.effects.size).toBe(1)
  })
})

describe('a write that the server cannot do yet', () => {
  it('waits for its time, without probes', async () => {
    const { clock, server, tablet, probe } = await openTabletWithWaitingWrite()
    tablet.connection.state = 'up'
    server.script = refuseWrites(503, 'UNAVAILABLE', { 'retry-after': '20' })
    await sendOutbox(tablet.ports, { immediate: true })
    expect(await probe()).toBe('nothing')
    server.script = null
    await clock.advance(90_000)
    expect(await probe()).toBe('go')
  })

  it('is sent again within a second while an earlier copy runs, after any number of failures (O2)', async () => {
    const { clock, server, tablet } = await openTabletWithWaitingWrite()
    const db = tablet.device.getDatabase({ companyId, userId: 1 })
    for (let index = 0; index < 8; index++) await tablet.tick()
    tablet.connection.state = 'up'
    server.script = refuseWrites(409, 'IDEMPOTENCY_IN_PROGRESS')
    await tablet.tick()
    const [entry] = await db.outbox.toArray()
    expect(entry).toMatchObject({ state: 'waiting', delayedBy: 'server', attempts: 10 })
    expect((entry?.notBefore ?? 0) - clock.now()).toBeLessThanOrEqual(1_000)
  })
})
