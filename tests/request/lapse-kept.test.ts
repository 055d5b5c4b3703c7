/** A session that lapses takes nothing from its user: what is cached stays, sealed, and is there again after the next login. */
import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { recordsToText, textToRecords } from '#local/storage/record-text.ts'
import { setShared } from '#local/session/shared-device.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted, refusal } from '#tests/support/device/scripted.ts'

const users = { params: { companyId: company } }
const own = { companyId: company, userId: 1 }

async function signedIn() {
  const clock = createClock()
  const server = createScripted(clock, { seals: true })
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, users)
  await tablet.rest()
  return { clock, server, tablet }
}

type Signed = Awaited<ReturnType<typeof signedIn>>

/** The server answers as it does to whoever comes too late. */
async function lapse({ server, tablet }: Signed, why: 'lapsed' | 'missing' | null) {
  server.revoke()
  server.script = (sent, pass) =>
    sent.path === '/api/m18s/token' && sent.body?.includes('refresh_token')
      ? refusal(401, 'UNAUTHORIZED', {}, why && { why })
      : pass()
  tablet.cookies.delete('portal-access')
  await tablet.api.call(listUsers, users)
  await tablet.rest()
  server.script = null
  expect(await tablet.session()).toBeNull()
}

const rowsOf = (tablet: Tablet) => tablet.device.of(own).table('users').count()
const sealedOf = (tablet: Tablet) => tablet.device.of(own).sealedCache.count()
/** Everything that stands in the database as text. */
async function dump(tablet: Tablet): Promise<string> {
  const db = tablet.device.of(own)
  const all = await Promise.all(db.tables.map((table) => table.toArray()))
  return recordsToText(all)
}

describe('what is cached for a user whose session lapses (decision 83)', () => {
  it.each(['lapsed', 'missing'] as const)(
    'fault 43a stays on the device, unreadable, and is there after the next login without a connection: %s',
    async (why) => {
      const signed = await signedIn()
      const { tablet } = signed
      const name = 'User 2'
      expect(await dump(tablet)).toContain(name)
      await lapse(signed, why)
      expect([await rowsOf(tablet), (await sealedOf(tablet)) > 0]).toEqual([0, true])
      expect(await dump(tablet)).not.toContain(name)
      tablet.reopen()
      await tablet.signIn('acme', 'user1@acme.example')
      await tablet.rest()
      tablet.line.state = 'down'
      expect(await tablet.api.call(listUsers, users)).toMatchObject({ kind: 'kept' })
      expect((await tablet.list(listUsers, { scope: company })).rows).toHaveLength(3)
      expect(await sealedOf(tablet)).toBe(0)
    },
  )

  it('fault 43b goes where somebody ended the session, and where its user logs out', async () => {
    const revoked = await signedIn()
    await lapse(revoked, null)
    expect([await rowsOf(revoked.tablet), await sealedOf(revoked.tablet)]).toEqual([0, 0])
    const left = await signedIn()
    await left.tablet.signOut()
    expect([await rowsOf(left.tablet), await sealedOf(left.tablet)]).toEqual([0, 0])
  })

  it('fault 43c goes when somebody else logs in on the device', async () => {
    const signed = await signedIn()
    const { tablet } = signed
    await lapse(signed, 'lapsed')
    expect(await sealedOf(tablet)).toBeGreaterThan(0)
    await tablet.signIn('acme', 'user2@acme.example')
    await tablet.rest()
    expect([await rowsOf(tablet), await sealedOf(tablet)]).toEqual([0, 0])
    // Who is back begins anew.
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await tablet.api.call(listUsers, users)).toMatchObject({ kind: 'fresh' })
  })

  it('fault 43d goes on a device that is shared', async () => {
    const signed = await signedIn()
    await setShared(signed.tablet.device, true)
    await lapse(signed, 'lapsed')
    expect([await rowsOf(signed.tablet), await sealedOf(signed.tablet)]).toEqual([0, 0])
  })

  it('fault 43e is dropped where its key is gone, and fetched anew', async () => {
    const signed = await signedIn()
    const { tablet } = signed
    await lapse(signed, 'lapsed')
    await tablet.device.of(own).meta.put({ name: 'sealed-cache', keyId: 999 })
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.rest()
    expect(await sealedOf(tablet)).toBe(0)
    expect(await tablet.api.call(listUsers, users)).toMatchObject({ kind: 'fresh' })
  })

  it('fault 43k is dropped where its user has lost a right meanwhile', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    server.script = (sent, pass) => {
      const answer = pass()
      return sent.path === '/api/m18s/user'
        ? { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), order: true }) }
        : answer
    }
    await tablet.api.call(getUser, {})
    await tablet.rest()
    await lapse(signed, 'lapsed')
    expect(await sealedOf(tablet)).toBeGreaterThan(0)
    await tablet.signIn('acme', 'user1@acme.example')
    expect([await rowsOf(tablet), await sealedOf(tablet)]).toEqual([0, 0])
  })

  it('fault 43f comes back with the writes that waited, which are sent', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    tablet.line.state = 'down'
    await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 as const } })
    tablet.line.state = 'up'
    await lapse(signed, 'lapsed')
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.rest()
    expect([server.effects.size, await tablet.waiting()]).toEqual([1, 0])
    expect((await tablet.list(listUsers, { scope: company })).rows).toHaveLength(3)
  })
})

it('records with bytes and typed arrays are the same after text', () => {
  const records = [
    { at: new Uint8Array([1, 2]), codes: new Uint16Array([1, 65_535]), values: ['a', null, 1.5, true] },
    { data: new Uint8Array([7]).buffer, floats: new Float64Array([0.1, -1]), some: new Uint32Array([4_294_967_295]) },
  ]
  expect(textToRecords(recordsToText(records))).toEqual(records)
})
