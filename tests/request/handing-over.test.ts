/**
 * Tests two users who share a tablet. After any action, connection state and sign-out of the first user, the second neither sees nor
 * sends data of the first. The choice of the first user is carried out when they return.
 */
import { expect, it } from 'vitest'
import { createUser, deleteUser, listUsers, updateCompanyUser } from '#contract/users.ts'
import { signOut } from '#request/session/sign-in.ts'
import { createClock, createTablet, type ConnectionState, type Tablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { createScriptedServer, type ScriptedServer } from '#tests/support/device/scripted-server.ts'

const secret = 'Wei Confidential'
const firstUser = { companyId, userId: 1 }

const actions = {
  'a change': (tablet: Tablet) => tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { name: secret } }),
  'a new row': (tablet: Tablet) =>
    tablet.api.call(createUser, { body: { title: 0, name: secret, email: 'wei@acme.example' } }),
  'a change over a change': async (tablet: Tablet) => {
    await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { name: secret } })
    return await tablet.api.call(updateCompanyUser, { params: { id: 3 }, body: { alert: true } })
  },
  'a deletion': (tablet: Tablet) => tablet.api.call(deleteUser, { params: { id: 3 } }),
}

/** Ways in which the first user leaves, and whether their unsent writes are to be sent when they return. */
const departures: Record<string, { leave: (setup: HandoverSetup) => Promise<unknown>; isDelivered: boolean }> = {
  'that keeps the write for later': { leave: ({ tablet }) => signOut(tablet.ports), isDelivered: true },
  'that discards the write': { leave: ({ tablet }) => signOut(tablet.ports, true), isDelivered: false },
  'by the server': {
    leave: async ({ tablet, server }) => {
      tablet.connection.state = 'up'
      server.revoke()
      await tablet.api.call(listUsers, { params: { companyId } })
      await tablet.settle()
    },
    isDelivered: true,
  },
  'before the browser restarts': {
    leave: async ({ tablet }) => {
      await signOut(tablet.ports)
      tablet.reopen()
    },
    isDelivered: true,
  },
}

const connectionStates: ConnectionState[] = ['down', 'answers lost', 'hanging', 'captive']

interface HandoverSetup {
  tablet: Tablet
  server: ScriptedServer
}

/** Cases to test: by day all pairs of action, connection state and departure; by night all combinations. */
const cases = Object.keys(actions).flatMap((actionName, actionIndex) =>
  connectionStates.flatMap((connectionState, stateIndex) =>
    Object.keys(departures)
      .filter(
        (_, departureIndex) =>
          isNight || departureIndex === (actionIndex + stateIndex) % Object.keys(departures).length,
      )
      .map((departureName) => [actionName, connectionState, departureName] as const),
  ),
)

it.each(cases)(
  "The next user neither sees nor sends the first user's data: %s, connection %s, sign-out %s",
  async (actionName, connectionState, departureName) => {
    const clock = createClock()
    // The server has real seal keys for each session, so that unsent writes are sealed.
    const server = createScriptedServer(clock, { seals: true })
    const tablet = createTablet((request) => server.transport(request), clock)
    const departure = departures[departureName] as (typeof departures)[string]
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.api.call(listUsers, { params: { companyId } })
    await tablet.settle()
    tablet.connection.state = connectionState
    await advanceUntilDone(clock, actions[actionName as keyof typeof actions](tablet))
    await advanceUntilDone(clock, departure.leave({ tablet, server }))

    tablet.connection.state = 'up'
    const logStart = tablet.connection.log.length
    const effectsBefore = server.effects.size
    await tablet.signIn('acme', 'user2@acme.example')
    expect(await tablet.countWaiting()).toBe(0)
    await tablet.tick()
    await tablet.settle()
    const sentRequests = tablet.connection.log.slice(logStart).map((exchange) => JSON.stringify(exchange.request))
    expect(sentRequests.filter((sentText) => sentText.includes(secret) || sentText.includes(`${companyId}:1`))).toEqual(
      [],
    )
    expect(server.effects.size).toBe(effectsBefore)
    expect(JSON.stringify(await readFirstDatabase(tablet))).not.toContain(secret)

    await signOut(tablet.ports)
    await tablet.signIn('acme', 'user1@acme.example')
    await advanceUntilDone(clock, sendWaitingWrites(tablet, clock))
    expect(await tablet.countWaiting()).toBe(0)
    expect([...server.effects.values()].filter((effectCount) => effectCount > 1)).toEqual([])
    // Writes that the server executed before the first user left are done. All others follow that user's choice.
    const hasArrived = effectsBefore > 0
    expect(server.effects.size > 0).toBe(departure.isDelivered || hasArrived)
  },
)

/**
 * Advances the clock until the promise is settled, so that hanging connections time out. After each step it waits some milliseconds for
 * real asynchronous work.
 */
async function advanceUntilDone(clock: ReturnType<typeof createClock>, promise: Promise<unknown>): Promise<void> {
  let isDone = false
  const watchedPromise = promise.finally(() => (isDone = true))
  const deadline = Date.now() + 20_000
  while (!isDone && Date.now() < deadline) {
    await clock.advance(1_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(isDone).toBe(true)
  await watchedPromise
}

async function sendWaitingWrites(tablet: Tablet, clock: ReturnType<typeof createClock>): Promise<void> {
  for (let round = 0; round < 20 && (await tablet.countWaiting()) > 0; round++) {
    await clock.advance(60_000)
    await tablet.tick()
  }
}

/** Returns all records of the first user's database, as anybody with the device could read them. */
async function readFirstDatabase({ device }: Tablet): Promise<unknown[]> {
  return await Promise.all(device.getDatabase(firstUser).tables.map((table) => table.toArray()))
}
