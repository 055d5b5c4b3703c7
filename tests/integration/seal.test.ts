/** One tablet, two people: what the first left unsent is nobody else's, and arrives after they are back. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { wipe } from '#local/seals/sealed-outbox.ts'
import { unseal } from '#local/outbox/unseal.ts'
import type { SealKey } from '#local/seals/seal-keys.ts'
import { sealsIn } from '#local/seals/sealed-records.ts'
import { openSession } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { createProbe } from '#request/writes/reconnect-probe.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { signOut } from '#request/session/sign-in.ts'
import { createTablet, type Server, type Tablet } from '#tests/support/device/device.ts'
import { comeIn, openInstallation, type Installation, reachOf } from '#tests/support/device/app.ts'

let app: Installation
let tablet: Tablet
let id: number
let companyId: number
/** The line fails for whoever asks for the keys of older sessions. */
let isWithoutKeys: boolean
const secret = 'Wei Confidential'

beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())

beforeEach(async () => {
  const { companies, users } = await app.server.reset()
  id = users['invited@alpha'] ?? 0
  companyId = companies.alpha
  const reach = reachOf(app.server)
  isWithoutKeys = false
  const server: Server = (sent) => {
    if (isWithoutKeys && sent.path.includes('?seals=')) throw new TypeError('Failed to fetch')
    return reach(sent)
  }
  tablet = createTablet(server, app.clock)
  await comeIn(tablet, 'admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.rest()
  tablet.line.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id }, body: { name: secret } })
})

const first = () => tablet.device.of({ companyId, userId: app.server.world.users['admin@alpha'] ?? 0 })
/** Everything the first one's database holds, read as anybody could who has the device. */
async function everything(): Promise<string> {
  const db = first()
  const tables = await Promise.all(db.tables.map((table) => table.toArray()))
  const texts = tables.flat().map((row) => {
    const { data } = row as { data?: unknown }
    return JSON.stringify(row) + (data instanceof ArrayBuffer ? new TextDecoder().decode(data) : '')
  })
  return texts.join('\n')
}
const nameOnServer = async () => {
  const asker = await app.signedIn('second@alpha')
  await asker.api.call(listUsers, { params: { companyId } })
  await asker.rest()
  return (await asker.row('users', id))?.row
}

describe('signing out with unsent writes', () => {
  it('leaves nothing on the device that can be read, offline too, neither the writes nor their key (protocol 30, S-84)', async () => {
    expect(await everything()).toContain(secret)
    await signOut(tablet.ports)
    const left = await everything()
    expect(left).not.toContain(secret)
    expect(left).not.toContain('seal_key')
    expect(await first().outbox.count()).toBe(0)
  })

  it('keeps them for their user: after the next sign-in they are there and are sent, with their keys (protocol 30)', async () => {
    const [before] = await tablet.entries()
    await signOut(tablet.ports)
    tablet.reopen()
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@alpha')
    expect(await tablet.entries()).toMatchObject([{ intent: before?.intent, input: { body: { name: secret } } }])
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).toMatchObject({ name: secret })
  })

  it('opens and sends them also where the sign-in was cut off before it came to that (protocol 30, R-17)', async () => {
    const subject = { companyId, userId: app.server.world.users['admin@alpha'] ?? 0 }
    await wipe(first(), (await readGate(first())) ?? 0)
    // As by a reload in the middle of it: the session is there, what was sealed has not been opened.
    await openSession(tablet.device, subject)
    tablet.line.state = 'up'
    expect(await tablet.entries()).toEqual([])
    expect(await createProbe(tablet.ports)()).toBe('go')
    await sendOutbox(tablet.ports, { hurry: false })
    expect(await sealsIn(first())).toEqual([])
    expect(await tablet.entries()).toHaveLength(1)
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).toMatchObject({ name: secret })
  })

  it('shows and sends another user nothing of them (protocol 30, N-12, W-03, R-08)', async () => {
    await signOut(tablet.ports)
    tablet.line.state = 'up'
    await comeIn(tablet, 'second@alpha')
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).not.toMatchObject({ name: secret })
    await tablet.signOut()
    await comeIn(tablet, 'admin@alpha')
    await tablet.tick()
    expect(await nameOnServer()).toMatchObject({ name: secret })
  })

  it('seals them as well when another simply signs in over the first (protocol 30)', async () => {
    tablet.line.state = 'up'
    await comeIn(tablet, 'second@alpha')
    expect(await everything()).not.toContain(secret)
  })

  it('throws them away when that is wished, and they never arrive', async () => {
    await signOut(tablet.ports, true)
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@alpha')
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).not.toMatchObject({ name: secret })
  })

  it('in the middle of an answer that is lost: sent again under its key, it takes effect once', async () => {
    tablet.line.state = 'answers lost'
    await tablet.tick()
    await signOut(tablet.ports)
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@alpha')
    await app.clock.turn(120_000)
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).toMatchObject({ name: secret, row_version: 2 })
  })
})

describe('over several sessions of one user', () => {
  const other = 'Mei Confidential'
  const change = (name: string) => tablet.api.call(updateCompanyUser, { params: { id }, body: { name } })
  const keysOnServer = () =>
    inTransaction(app.server.app, { role: 'portal_system' }, (db) =>
      db
        .selectFrom('seal_key')
        .select(['id', 'key'])
        .where('user_id', '=', app.server.world.users['admin@alpha'] ?? 0)
        .orderBy('id')
        .execute(),
    )
  const newestHere = async () =>
    (JSON.parse((await first().responses.get(getUser.path))?.body ?? '') as { session_seal_key: SealKey })
      .session_seal_key
  /** The first session's write is sealed, and stays so in the second, which cannot ask for its key. */
  async function leaveTwice(): Promise<SealKey[]> {
    const keys = [await newestHere()]
    await signOut(tablet.ports)
    isWithoutKeys = true
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@alpha')
    await tablet.rest()
    isWithoutKeys = false
    keys.push(await newestHere())
    tablet.line.state = 'down'
    await change(other)
    await signOut(tablet.ports)
    tablet.line.state = 'up'
    return keys
  }

  it('two seals under two keys both open at the third sign-in, and then their keys are gone (protocol 30)', async () => {
    const [one, two] = await leaveTwice()
    expect(one?.key).not.toBe(two?.key)
    const seals = await sealsIn(first())
    expect(seals.map(({ keyId }) => keyId).toSorted()).toEqual([one?.id, two?.id])
    await comeIn(tablet, 'admin@alpha')
    expect((await tablet.entries()).map(({ input }) => input.body)).toEqual(
      expect.arrayContaining([{ name: secret }, { name: other }]),
    )
    const onDevice = await everything()
    for (const key of [one, two]) expect(onDevice).not.toContain(key?.key)
    await tablet.rest()
    expect(await keysOnServer()).toEqual([await newestHere()])
  })

  it('the key of one session does not open what another sealed', async () => {
    const [one, two] = await leaveTwice()
    await openSession(tablet.device, { companyId, userId: app.server.world.users['admin@alpha'] ?? 0 })
    const stolen = new Map([one?.id, two?.id].map((keyId) => [keyId ?? 0, one?.key ?? '']))
    expect(await unseal(first(), stolen)).toBe(1)
    expect(await sealsIn(first())).toMatchObject([{ keyId: two?.id, isShut: true }])
    expect(await everything()).not.toContain(other)
  })

  it('what an earlier build sealed, without the name of a key, opens with the first key of the account', async () => {
    const reading = await first().responses.get(getUser.path)
    const { session_seal_key: _, seal_keys: _none, ...user } = JSON.parse(reading?.body ?? '')
    await first().responses.update(getUser.path, { body: JSON.stringify(user) })
    await signOut(tablet.ports)
    const [sealed] = await sealsIn(first())
    const { keyId: _named, ...asThen } = sealed!
    await first().meta.put(asThen)
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@alpha')
    expect(await tablet.entries()).toMatchObject([{ input: { body: { name: secret } } }])
  })
})
