/**
 * One tablet goes from hand to hand: whatever the first one did, in whatever weather, and however they left, the
 * second neither sees nor sends anything of theirs, and what they chose for it happens when they are back.
 */
import { expect, it } from 'vitest'
import { createUser, deleteUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { signOut } from '#request/session/sign-in.ts'
import { createClock, createTablet, type LineState, type Tablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { createScripted, type Scripted } from '#tests/support/device/scripted.ts'

const secret = 'Wei Confidential'
const first = { companyId: company, userId: 1 }

const deeds = {
  'a change': (tablet: Tablet) => tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { name: secret } }),
  'a new row': (tablet: Tablet) =>
    tablet.api.call(createUser, { body: { title: 0, name: secret, email: 'wei@acme.example' } }),
  'a change over a change': async (tablet: Tablet) => {
    await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { name: secret } })
    return await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: true } })
  },
  'a deletion': (tablet: Tablet) => tablet.api.call(deleteUser, { params: { id: 3 } }),
}

/** How the first one goes, and whether what they left is to arrive once they are back. */
const ways: Record<string, { go: (stage: Stage) => Promise<unknown>; arrives: boolean }> = {
  'keeping it for later': { go: ({ tablet }) => signOut(tablet.ports), arrives: true },
  'discarding it': { go: ({ tablet }) => signOut(tablet.ports, true), arrives: false },
  'thrown out by the server': {
    go: async ({ tablet, server }) => {
      tablet.line.state = 'up'
      server.revoke()
      await tablet.api.call(listUsers, { params: { companyId: company } })
      await tablet.rest()
    },
    arrives: true,
  },
  'with the browser': {
    go: async ({ tablet }) => {
      await signOut(tablet.ports)
      tablet.reopen()
    },
    arrives: true,
  },
}

const lines: LineState[] = ['down', 'answers lost', 'hanging', 'captive']

interface Stage {
  tablet: Tablet
  server: Scripted
}

/** Any two of deed, line and way by day, and all three by night. */
const cases = Object.keys(deeds).flatMap((deed, first) =>
  lines.flatMap((line, second) =>
    Object.keys(ways)
      .filter((_, third) => isNight || third === (first + second) % Object.keys(ways).length)
      .map((way) => [deed, line, way] as const),
  ),
)

it.each(cases)('%s, the line %s, gone %s', async (deedName, line, wayName) => {
  const clock = createClock()
  // Each session's own, and real ones: with them what they leave is sealed.
  const server = createScripted(clock, { seals: true })
  const tablet = createTablet((sent) => server.answer(sent), clock)
  const way = ways[wayName] as (typeof ways)[string]
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId: company } })
  await tablet.rest()
  tablet.line.state = line
  await patiently(clock, deeds[deedName as keyof typeof deeds](tablet))
  await patiently(clock, way.go({ tablet, server }))

  tablet.line.state = 'up'
  const from = tablet.line.log.length
  const effectsBefore = server.effects.size
  await tablet.signIn('acme', 'user2@acme.example')
  expect(await tablet.waiting()).toBe(0)
  await tablet.tick()
  await tablet.rest()
  const sent = tablet.line.log.slice(from).map((one) => JSON.stringify(one.sent))
  expect(sent.filter((one) => one.includes(secret) || one.includes(`${company}:1`))).toEqual([])
  expect(server.effects.size).toBe(effectsBefore)
  expect(JSON.stringify(await everything(tablet))).not.toContain(secret)

  await signOut(tablet.ports)
  await tablet.signIn('acme', 'user1@acme.example')
  await patiently(clock, settled(tablet, clock))
  expect(await tablet.waiting()).toBe(0)
  expect([...server.effects.values()].filter((times) => times > 1)).toEqual([])
  // What the server had done before anybody left is done; all else is as they chose.
  const hadArrived = effectsBefore > 0
  expect(server.effects.size > 0).toBe(way.arrives || hadArrived)
})

/** Turns the clock until it is done: a line that hangs is waited for; what takes the machine its time is given it. */
async function patiently(clock: ReturnType<typeof createClock>, work: Promise<unknown>): Promise<void> {
  let isDone = false
  const watched = work.finally(() => (isDone = true))
  const end = Date.now() + 20_000
  while (!isDone && Date.now() < end) {
    await clock.turn(1_000)
    await new Promise((go) => setTimeout(go, 5))
  }
  expect(isDone).toBe(true)
  await watched
}

async function settled(tablet: Tablet, clock: ReturnType<typeof createClock>): Promise<void> {
  for (let round = 0; round < 20 && (await tablet.waiting()) > 0; round++) {
    await clock.turn(60_000)
    await tablet.tick()
  }
}

/** All that lies in the first one's database, as whoever has the device could read it. */
async function everything({ device }: Tablet): Promise<unknown[]> {
  return await Promise.all(device.of(first).tables.map((table) => table.toArray()))
}
