/**
 * Tests one tablet with two users: the first user's unsent writes are invisible to the second, and are sent after the first user returns.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { wipeUserData } from '#local/seals/sealed-outbox.ts'
import { unseal } from '#local/outbox/unseal.ts'
import type { SealKey } from '#local/seals/seal-keys.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import { openSession } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { createProbe } from '#request/writes/reconnect-probe.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { signOut } from '#request/session/sign-in.ts'
import { createTablet, type ServerTransport, type Tablet } from '#tests/support/device/device.ts'
import { signInAs, openInstallation, type Installation, toServerTransport } from '#tests/support/device/app.ts'

let installation: Installation
let tablet: Tablet
let id: number
let companyId: number
/** If true, requests for the keys of earlier sessions fail. */
let isWithoutKeys: boolean
const secret = 'Wei Confidential'

beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())

beforeEach(async () => {
  const { companies, users } = await installation.server.reset()
  id = users['invited@alpha'] ?? 0
  companyId = companies.alpha
  const transport = toServerTransport(installation.server)
  isWithoutKeys = false
  const transportWithoutKeys: ServerTransport = (request) => {
    if (isWithoutKeys && request.path.includes('?seals=')) throw new TypeError('Failed to fetch')
    return transport(request)
  }
  tablet = createTablet(transportWithoutKeys, installation.clock)
  await signInAs(tablet, 'admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  tablet.connection.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id }, body: { name: secret } })
})

const openUserDatabase = () =>
  tablet.device.getDatabase({ companyId, userId: installation.server.world.users['admin@alpha'] ?? 0 })
/** Returns everything in the first user's database, as anybody with the device could read it. */
async function readDevice(): Promise<string> {
  const db = openUserDatabase()
  const tables = await Promise.all(db.tables.map((table) => table.toArray()))
  const texts = tables.flat().map((row) => {
    const { data } = row as { data?: unknown }
    return JSON.stringify(row) + (data instanceof ArrayBuffer ? new TextDecoder().decode(data) : '')
  })
  return texts.join('\n')
}
const readServerRow = async () => {
  const otherTablet = await installation.signInTablet('second@alpha')
  await otherTablet.api.call(listUsers, { params: { companyId } })
  await otherTablet.settle()
  return (await otherTablet.row('users', id))?.row
}

describe('signing out with unsent writes', () => {
  it('leaves neither the writes nor their key readable on the device, also offline (protocol 30, S-84)', async () => {
    expect(await readDevice()).toContain(secret)
    await signOut(tablet.ports)
    const deviceText = await readDevice()
    expect(deviceText).not.toContain(secret)
    expect(deviceText).not.toContain('seal_key')
    expect(await openUserDatabase().outbox.count()).toBe(0)
  })

  it("keeps the writes, and sends them with their keys after the user's next sign-in (protocol 30)", async () => {
    const [entryBefore] = await tablet.entries()
    await signOut(tablet.ports)
    tablet.reopen()
    tablet.connection.state = 'up'
    await signInAs(tablet, 'admin@alpha')
    expect(await tablet.entries()).toMatchObject([{ intent: entryBefore?.intent, input: { body: { name: secret } } }])
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await readServerRow()).toMatchObject({ name: secret })
  })

  it('keeps them so that they are opened and sent even after an interrupted sign-in (protocol 30, R-17)', async () => {
    const subject = { companyId, userId: installation.server.world.users['admin@alpha'] ?? 0 }
    await wipeUserData(openUserDatabase(), (await readSessionGeneration(openUserDatabase())) ?? 0)
    // Simulates a reload during the sign-in: the session exists, but the sealed data is not opened yet.
    await openSession(tablet.device, subject)
    tablet.connection.state = 'up'
    expect(await tablet.entries()).toEqual([])
    expect(await createProbe(tablet.ports)()).toBe('go')
    await sendOutbox(tablet.ports, { immediate: false })
    expect(await readSealedWrites(openUserDatabase())).toEqual([])
    expect(await tablet.entries()).toHaveLength(1)
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await readServerRow()).toMatchObject({ name: secret })
  })

  it('prevents that another user sees or sends them (protocol 30, N-12, W-03, R-08)', async () => {
    await signOut(tablet.ports)
    tablet.connection.state = 'up'
    await signInAs(tablet, 'second@alpha')
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await readServerRow()).not.toMatchObject({ name: secret })
    await tablet.signOut()
    await signInAs(tablet, 'admin@alpha')
    await tablet.tick()
    expect(await readServerRow()).toMatchObject({ name: secret })
  })

  it("is not required for sealing them: another user's sign-in seals them too (protocol 30)", async () => {
    tablet.connection.state = 'up'
    await signInAs(tablet, 'second@alpha')
    expect(await readDevice()).not.toContain(secret)
  })

  it('discards them if the user chose this, and they are never sent', async () => {
    await signOut(tablet.ports, true)
    tablet.connection.state = 'up'
    await signInAs(tablet, 'admin@alpha')
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await readServerRow()).not.toMatchObject({ name: secret })
  })

  it('after a lost response keeps the key of the write, so that resending has no second effect', async () => {
    tablet.connection.state = 'answers lost'
    await tablet.tick()
    await signOut(tablet.ports)
    tablet.connection.state = 'up'
    await signInAs(tablet, 'admin@alpha')
    await installation.clock.advance(120_000)
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await readServerRow()).toMatchObject({ name: secret, row_version: 2 })
  })
})

describe('several sessions of one user', () => {
  const otherName = 'Mei Confidential'
  const change = (name: string) => tablet.api.call(updateCompanyUser, { params: { id }, body: { name } })
  const readServerKeys = () =>
    runInTransaction(installation.server.app, { role: 'portal_system' }, (db) =>
      db
        .selectFrom('seal_key')
        .select(['id', 'key'])
        .where('user_id', '=', installation.server.world.users['admin@alpha'] ?? 0)
        .orderBy('id')
        .execute(),
    )
  const readLatestKey = async () =>
    (JSON.parse((await openUserDatabase().responses.get(getUser.path))?.body ?? '') as { session_seal_key: SealKey })
      .session_seal_key
  /** Signs out twice with unsent writes. The first session's writes stay sealed in the second session, which cannot request their key. */
  async function signOutTwice(): Promise<SealKey[]> {
    const keys = [await readLatestKey()]
    await signOut(tablet.ports)
    isWithoutKeys = true
    tablet.connection.state = 'up'
    await signInAs(tablet, 'admin@alpha')
    await tablet.settle()
    isWithoutKeys = false
    keys.push(await readLatestKey())
    tablet.connection.state = 'down'
    await change(otherName)
    await signOut(tablet.ports)
    tablet.connection.state = 'up'
    return keys
  }

  it('writes sealed under two keys are all opened at the third sign-in, then the old keys are deleted (protocol 30)', async () => {
    const [firstKey, secondKey] = await signOutTwice()
    expect(firstKey?.key).not.toBe(secondKey?.key)
    const seals = await readSealedWrites(openUserDatabase())
    expect(seals.map(({ keyId }) => keyId).toSorted()).toEqual([firstKey?.id, secondKey?.id])
    await signInAs(tablet, 'admin@alpha')
    expect((await tablet.entries()).map(({ input }) => input.body)).toEqual(
      expect.arrayContaining([{ name: secret }, { name: otherName }]),
    )
    const deviceText = await readDevice()
    for (const key of [firstKey, secondKey]) expect(deviceText).not.toContain(key?.key)
    await tablet.settle()
    expect(await readServerKeys()).toEqual([await readLatestKey()])
  })

  it('the key of one session does not open what another session sealed', async () => {
    const [firstKey, secondKey] = await signOutTwice()
    await openSession(tablet.device, { companyId, userId: installation.server.world.users['admin@alpha'] ?? 0 })
    const stolenKeys = new Map([firstKey?.id, secondKey?.id].map((keyId) => [keyId ?? 0, firstKey?.key ?? '']))
    expect(await unseal(openUserDatabase(), stolenKeys)).toBe(1)
    expect(await readSealedWrites(openUserDatabase())).toMatchObject([{ keyId: secondKey?.id, isShut: true }])
    expect(await readDevice()).not.toContain(otherName)
  })

  it("data sealed by an earlier build, without a key id, opens with the account's first key", async () => {
    const cachedUser = await openUserDatabase().responses.get(getUser.path)
    const { session_seal_key: _, seal_keys: _none, ...user } = JSON.parse(cachedUser?.body ?? '')
    await openUserDatabase().responses.update(getUser.path, { body: JSON.stringify(user) })
    await signOut(tablet.ports)
    const [sealedRecord] = await readSealedWrites(openUserDatabase())
    const { keyId: _keyId, ...earlierRecord } = sealedRecord!
    await openUserDatabase().meta.put(earlierRecord)
    tablet.connection.state = 'up'
    await signInAs(tablet, 'admin@alpha')
    expect(await tablet.entries()).toMatchObject([{ input: { body: { name: secret } } }])
  })
})
