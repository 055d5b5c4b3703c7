/** Tests that a user loses no data when a session expires: the cache stays, sealed, and is readable again after the next login. */
import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { recordsToText, textToRecords } from '#local/storage/record-text.ts'
import { setShared } from '#local/session/shared-device.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer, buildRefusal } from '#tests/support/device/scripted-server.ts'

const usersInput = { params: { companyId } }
const ownSubject = { companyId, userId: 1 }

async function openSignedInTablet() {
  const clock = createClock()
  const server = createScriptedServer(clock, { seals: true })
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, usersInput)
  await tablet.settle()
  return { clock, server, tablet }
}

type SignedInSetup = Awaited<ReturnType<typeof openSignedInTablet>>

/** Ends the session. The server refuses the renewal with the given reason, or without a reason as for a revoked session. */
async function expireSession({ server, tablet }: SignedInSetup, reason: 'lapsed' | 'missing' | null) {
  server.revoke()
  server.script = (request, respond) =>
    request.path === '/api/m18s/token' && request.body?.includes('refresh_token')
      ? buildRefusal(401, 'UNAUTHORIZED', {}, reason && { why: reason })
      : respond()
  tablet.cookies.delete('portal-access')
  await tablet.api.call(listUsers, usersInput)
  await tablet.settle()
  server.script = null
  expect(await tablet.session()).toBeNull()
}

const countRows = (tablet: Tablet) => tablet.device.getDatabase(ownSubject).table('users').count()
const countSealed = (tablet: Tablet) => tablet.device.getDatabase(ownSubject).sealedCache.count()
/** Returns the whole database as text. */
async function dumpDatabase(tablet: Tablet): Promise<string> {
  const db = tablet.device.getDatabase(ownSubject)
  const rowsByTable = await Promise.all(db.tables.map((table) => table.toArray()))
  return recordsToText(rowsByTable)
}

describe('the cache of a user whose session expires (decision 83)', () => {
  it.each(['lapsed', 'missing'] as const)(
    'stays sealed on the device, and is readable offline after the next login: %s (fault 43a)',
    async (reason) => {
      const setup = await openSignedInTablet()
      const { tablet } = setup
      const name = 'User 2'
      expect(await dumpDatabase(tablet)).toContain(name)
      await expireSession(setup, reason)
      expect([await countRows(tablet), (await countSealed(tablet)) > 0]).toEqual([0, true])
      expect(await dumpDatabase(tablet)).not.toContain(name)
      tablet.reopen()
      await tablet.signIn('acme', 'user1@acme.example')
      await tablet.settle()
      tablet.connection.state = 'down'
      expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({ kind: 'cached' })
      expect((await tablet.list(listUsers, { scope: companyId })).rows).toHaveLength(3)
      expect(await countSealed(tablet)).toBe(0)
    },
  )

  it('is deleted if the session was revoked, or when its user logs out (fault 43b)', async () => {
    const revokedSetup = await openSignedInTablet()
    await expireSession(revokedSetup, null)
    expect([await countRows(revokedSetup.tablet), await countSealed(revokedSetup.tablet)]).toEqual([0, 0])
    const signedOutSetup = await openSignedInTablet()
    await signedOutSetup.tablet.signOut()
    expect([await countRows(signedOutSetup.tablet), await countSealed(signedOutSetup.tablet)]).toEqual([0, 0])
  })

  it('is deleted when another user logs in on the device (fault 43c)', async () => {
    const setup = await openSignedInTablet()
    const { tablet } = setup
    await expireSession(setup, 'lapsed')
    expect(await countSealed(tablet)).toBeGreaterThan(0)
    await tablet.signIn('acme', 'user2@acme.example')
    await tablet.settle()
    expect([await countRows(tablet), await countSealed(tablet)]).toEqual([0, 0])
    // The returning user starts with an empty cache.
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({ kind: 'fresh' })
  })

  it('is deleted on a shared device (fault 43d)', async () => {
    const setup = await openSignedInTablet()
    await setShared(setup.tablet.device, true)
    await expireSession(setup, 'lapsed')
    expect([await countRows(setup.tablet), await countSealed(setup.tablet)]).toEqual([0, 0])
  })

  it('is dropped if its key was deleted, and the rows are fetched again (fault 43e)', async () => {
    const setup = await openSignedInTablet()
    const { tablet } = setup
    await expireSession(setup, 'lapsed')
    await tablet.device.getDatabase(ownSubject).meta.put({ name: 'sealed-cache', keyId: 999 })
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.settle()
    expect(await countSealed(tablet)).toBe(0)
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({ kind: 'fresh' })
  })

  it('is dropped if its user has lost a right since then (fault 43k)', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    server.script = (request, respond) => {
      const response = respond()
      return request.path === '/api/m18s/user'
        ? { ...response, body: JSON.stringify({ ...JSON.parse(response.body), order: true }) }
        : response
    }
    await tablet.api.call(getUser, {})
    await tablet.settle()
    await expireSession(setup, 'lapsed')
    expect(await countSealed(tablet)).toBeGreaterThan(0)
    await tablet.signIn('acme', 'user1@acme.example')
    expect([await countRows(tablet), await countSealed(tablet)]).toEqual([0, 0])
  })

  it('is restored with the waiting writes, which are sent (fault 43f)', async () => {
    const setup = await openSignedInTablet()
    const { server, tablet } = setup
    tablet.connection.state = 'down'
    await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 as const } })
    tablet.connection.state = 'up'
    await expireSession(setup, 'lapsed')
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.settle()
    expect([server.effects.size, await tablet.countWaiting()]).toEqual([1, 0])
    expect((await tablet.list(listUsers, { scope: companyId })).rows).toHaveLength(3)
  })
})

it('recordsToText and textToRecords preserve bytes and typed arrays', () => {
  const records = [
    { at: new Uint8Array([1, 2]), codes: new Uint16Array([1, 65_535]), values: ['a', null, 1.5, true] },
    { data: new Uint8Array([7]).buffer, floats: new Float64Array([0.1, -1]), some: new Uint32Array([4_294_967_295]) },
  ]
  expect(textToRecords(recordsToText(records))).toEqual(records)
})
