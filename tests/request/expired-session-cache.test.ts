/** A session that lapses takes nothing from its user: what is cached stays, sealed, and is there again after the next login. */
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

/** The server answers as it does to whoever comes too late. */
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
/** Everything that stands in the database as text. */
async function dumpDatabase(tablet: Tablet): Promise<string> {
  const db = tablet.device.getDatabase(ownSubject)
  const rowsByTable = await Promise.all(db.tables.map((table) => table.toArray()))
  return recordsToText(rowsByTable)
}

describe('what is cached for a user whose session lapses (decision 83)', () => {
  it.each(['lapsed', 'missing'] as const)(
    'fault 43a stays on the device, unreadable, and is there after the next login without a connection: %s',
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

  it('fault 43b goes where somebody ended the session, and where its user logs out', async () => {
    const revokedSetup = await openSignedInTablet()
    await expireSession(revokedSetup, null)
    expect([await countRows(revokedSetup.tablet), await countSealed(revokedSetup.tablet)]).toEqual([0, 0])
    const signedOutSetup = await openSignedInTablet()
    await signedOutSetup.tablet.signOut()
    expect([await countRows(signedOutSetup.tablet), await countSealed(signedOutSetup.tablet)]).toEqual([0, 0])
  })

  it('fault 43c goes when somebody else logs in on the device', async () => {
    const setup = await openSignedInTablet()
    const { tablet } = setup
    await expireSession(setup, 'lapsed')
    expect(await countSealed(tablet)).toBeGreaterThan(0)
    await tablet.signIn('acme', 'user2@acme.example')
    await tablet.settle()
    expect([await countRows(tablet), await countSealed(tablet)]).toEqual([0, 0])
    // Who is back begins anew.
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({ kind: 'fresh' })
  })

  it('fault 43d goes on a device that is shared', async () => {
    const setup = await openSignedInTablet()
    await setShared(setup.tablet.device, true)
    await expireSession(setup, 'lapsed')
    expect([await countRows(setup.tablet), await countSealed(setup.tablet)]).toEqual([0, 0])
  })

  it('fault 43e is dropped where its key is gone, and fetched anew', async () => {
    const setup = await openSignedInTablet()
    const { tablet } = setup
    await expireSession(setup, 'lapsed')
    await tablet.device.getDatabase(ownSubject).meta.put({ name: 'sealed-cache', keyId: 999 })
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.settle()
    expect(await countSealed(tablet)).toBe(0)
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({ kind: 'fresh' })
  })

  it('fault 43k is dropped where its user has lost a right meanwhile', async () => {
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

  it('fault 43f comes back with the writes that waited, which are sent', async () => {
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

it('records with bytes and typed arrays are the same after text', () => {
  const records = [
    { at: new Uint8Array([1, 2]), codes: new Uint16Array([1, 65_535]), values: ['a', null, 1.5, true] },
    { data: new Uint8Array([7]).buffer, floats: new Float64Array([0.1, -1]), some: new Uint32Array([4_294_967_295]) },
  ]
  expect(textToRecords(recordsToText(records))).toEqual(records)
})
