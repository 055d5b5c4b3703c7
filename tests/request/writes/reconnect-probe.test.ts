import { describe, expect, it } from 'vitest'
import { updateCompanyUser } from '#contract/users.ts'
import { pauseSending } from '#local/outbox/settle.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { createProbe } from '#request/writes/reconnect-probe.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted, refusal, toWrites } from '#tests/support/device/scripted.ts'

async function waiting() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  tablet.line.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  await tablet.rest()
  return { clock, server, tablet, probe: createProbe(tablet.ports) }
}
const probes = ({ line }: Tablet) => line.log.filter(({ sent }) => sent.path === '/health/live').length
const writes = ({ line }: Tablet) => line.log.filter(({ sent }) => sent.headers['idempotency-key']).length

describe('a visible page while something waits for the line', () => {
  it('notices in the very round that the server is back, after however many in vain, and delivers (O2)', async () => {
    const { tablet, probe } = await waiting()
    for (let round = 0; round < 100; round++) expect(await probe()).toBe('nothing')
    const tried = writes(tablet)
    tablet.line.state = 'up'
    expect(await probe()).toBe('hurry')
    await sendOutbox(tablet.ports, { hurry: true })
    expect(writes(tablet) - tried).toBe(1)
    expect(await tablet.waiting()).toBe(0)
  })

  it('asks nothing when nothing waits, and opens no database for that', async () => {
    const { tablet, probe } = await waiting()
    tablet.line.state = 'up'
    await tablet.tick()
    const before = probes(tablet)
    const { device } = tablet.ports
    tablet.ports.device = () => Promise.reject(new Error('it was opened'))
    expect(await probe()).toBe('nothing')
    tablet.ports.device = device
    expect(probes(tablet)).toBe(before)
  })

  it('does not take a login page for the server', async () => {
    const { tablet, probe } = await waiting()
    tablet.line.state = 'captive'
    expect(await probe()).toBe('nothing')
  })

  it('asks nothing while the server wants a pause (Retry-After)', async () => {
    const { clock, tablet, probe } = await waiting()
    const db = tablet.device.of({ companyId: company, userId: 1 })
    await pauseSending(db, clock.now(), 30_000)
    tablet.line.state = 'up'
    const before = probes(tablet)
    expect(await probe()).toBe('nothing')
    expect(probes(tablet)).toBe(before)
    await clock.turn(31_000)
    expect(await probe()).toBe('hurry')
  })

  it('tries less and less often a line that answers and lets no write through', async () => {
    const { server, tablet, probe } = await waiting()
    tablet.line.state = 'up'
    server.script = (sent, answer) => (sent.headers['idempotency-key'] ? refusal(502, 'BAD_GATEWAY') : answer())
    const before = writes(tablet)
    const look = async (rounds: number) => {
      for (let round = 0; round < rounds; round++)
        if ((await probe()) === 'hurry') await sendOutbox(tablet.ports, { hurry: true })
    }
    await look(30)
    const first = writes(tablet) - before
    expect(first).toBe(30)
    await look(170)
    expect(writes(tablet) - before - first).toBeLessThanOrEqual(15)
  })
})

describe('a line that fails most writes (R-05)', () => {
  it('is tried every round as long as some get through, however long (O2)', async () => {
    const { server, tablet, probe } = await waiting()
    tablet.line.state = 'up'
    server.script = (sent, answer) => (sent.headers['idempotency-key'] ? refusal(502, 'BAD_GATEWAY') : answer())
    const round = async () => {
      const found = await probe()
      if (found === 'hurry') await sendOutbox(tablet.ports, { hurry: true })
      return found
    }
    for (let at = 0; at < 60; at++) {
      // One more every ten rounds: the counts move, as they do when one of many is delivered.
      if (at % 10 === 0) await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { name: `User ${at}` } })
      await tablet.rest()
      expect(await round()).toBe('hurry')
    }
    server.script = null
    expect(await round()).toBe('hurry')
    expect(await tablet.waiting()).toBe(0)
  })
})

describe('a write whose sender died', () => {
  it('is seen by the next round, and goes (O2)', async () => {
    const { server, tablet, probe } = await waiting()
    const db = tablet.device.of({ companyId: company, userId: 1 })
    await db.outbox.toCollection().modify({ state: 'sending', delayedBy: null, notBefore: 0 })
    tablet.line.state = 'up'
    expect(await probe()).toBe('go')
    await sendOutbox(tablet.ports)
    expect(server.effects.size).toBe(1)
  })
})

describe('a write that its own server cannot do just now', () => {
  it('waits for its time and is not probed for', async () => {
    const { clock, server, tablet, probe } = await waiting()
    tablet.line.state = 'up'
    server.script = toWrites(503, 'UNAVAILABLE', { 'retry-after': '20' })
    await sendOutbox(tablet.ports, { hurry: true })
    expect(await probe()).toBe('nothing')
    server.script = null
    await clock.turn(90_000)
    expect(await probe()).toBe('go')
  })

  it('is asked about again within a second while an earlier copy of it runs, however often the line failed (O2)', async () => {
    const { clock, server, tablet } = await waiting()
    const db = tablet.device.of({ companyId: company, userId: 1 })
    for (let at = 0; at < 8; at++) await tablet.tick()
    tablet.line.state = 'up'
    server.script = toWrites(409, 'IDEMPOTENCY_IN_PROGRESS')
    await tablet.tick()
    const [entry] = await db.outbox.toArray()
    expect(entry).toMatchObject({ state: 'waiting', delayedBy: 'server', attempts: 10 })
    expect((entry?.notBefore ?? 0) - clock.now()).toBeLessThanOrEqual(1_000)
  })
})
