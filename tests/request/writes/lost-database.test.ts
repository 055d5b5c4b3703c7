/** Tests the loss of one or both databases of a device, which the browser has deleted (fault 45). */
import { describe, expect, it } from 'vitest'
import { createModule } from '#contract/modules.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { subscribeToDeletion, readDataLoss } from '#local/outbox/data-loss.ts'
import { parseCounts, formatCounts } from '#local/outbox/counters.ts'
import { readLeftBehind } from '#local/outbox/left-behind.ts'
import { readOwnAccount, storeOwnAccount } from '#local/session/own-account.ts'
import { checkCounts } from '#request/session/unsent-count.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

const ownSubject = { companyId, userId: 1 }
const otherSubject = { companyId, userId: 2 }

async function openTabletWithUnsentWrites() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  tablet.connection.state = 'down'
  await changeTitle(tablet, 2)
  await changeTitle(tablet, 3)
  await tablet.api.call(createModule, { body: { name: 'New', code: 'new' } })
  await tablet.settle()
  return { clock, tablet }
}
const changeTitle = (tablet: Tablet, id: number) =>
  tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 1 } })
const countListedUsers = async (tablet: Tablet) => (await tablet.list(listUsers, { scope: companyId })).rows.length

async function deleteDatabase(tablet: Tablet, databaseKind: 'user' | 'device') {
  await (databaseKind === 'user' ? tablet.device.getDatabase(ownSubject) : tablet.device.directory).delete()
  tablet.reopen()
}

describe('A lost database of the signed-in user, without a connection (fault 45a)', () => {
  it('The number and the kinds of lost writes are reported', async () => {
    const { clock, tablet } = await openTabletWithUnsentWrites()
    await deleteDatabase(tablet, 'user')
    expect(await checkCounts(tablet.ports, ownSubject)).toBe(true)
    expect(await readDataLoss(tablet.device)).toEqual({
      writes: 3,
      kinds: { users: 2, modules: 1 },
      noticedAt: clock.now(),
    })
  })

  it('The portal continues with an empty database, stores writes, and loads and sends once connected', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    await deleteDatabase(tablet, 'user')
    expect(await countListedUsers(tablet)).toBe(0)
    // This call runs before the page has checked its database. The write is still queued, and the loss is still reported.
    expect(await changeTitle(tablet, 2)).toMatchObject({ kind: 'queued' })
    expect(await readDataLoss(tablet.device)).toMatchObject({ writes: 3 })
    tablet.connection.state = 'up'
    await tablet.tick()
    expect(await tablet.countWaiting()).toBe(0)
    await tablet.api.call(listUsers, { params: { companyId } })
    await tablet.settle()
    expect(await countListedUsers(tablet)).toBeGreaterThan(0)
  })

  it('A page that had the database open is notified', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    const db = tablet.device.getDatabase(ownSubject)
    await db.open()
    const deletionNotice = new Promise<void>((resolve) => subscribeToDeletion(db, resolve))
    const { indexedDB: factory } = db._options as { indexedDB: IDBFactory }
    await new Promise<void>((resolve, reject) => {
      const request = factory.deleteDatabase(db.name)
      request.onsuccess = () => resolve()
      request.onerror = () => reject(request.error)
    })
    await deletionNotice
    expect(await checkCounts(tablet.ports, ownSubject)).toBe(true)
    expect(await readDataLoss(tablet.device)).toMatchObject({ writes: 3 })
  })

  it('An existing database is left unchanged', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    expect(await checkCounts(tablet.ports, ownSubject)).toBe(false)
    expect(await tablet.countWaiting()).toBe(3)
    expect(await readDataLoss(tablet.device)).toBeNull()
  })

  it('The new database is closed to a user who has signed out', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    await tablet.signOut()
    await deleteDatabase(tablet, 'user')
    await checkCounts(tablet.ports, ownSubject)
    expect(await tablet.device.getDatabase(ownSubject).meta.get('session-generation')).toBeUndefined()
  })
})

describe('the account stored outside the user database (fault 45b)', () => {
  it('can be read only while its user is signed in', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    await storeOwnAccount(ownSubject, { name: 'Wei' }, tablet.device)
    await deleteDatabase(tablet, 'user')
    expect(await readOwnAccount(ownSubject, tablet.device)).toEqual({ name: 'Wei' })
    expect(await readOwnAccount(otherSubject, tablet.device)).toBeNull()
    await tablet.signOut()
    expect(await tablet.device.directory.session.toArray()).toMatchObject([{ name: 'now' }])
    await storeOwnAccount(ownSubject, { name: 'Wei' }, tablet.device)
    expect(await readOwnAccount(ownSubject, tablet.device)).toBeNull()
  })

  it('is deleted when another user signs in, and is not stored again by a late write', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    await storeOwnAccount(ownSubject, { name: 'Wei' }, tablet.device)
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user2@acme.example')
    expect(await readOwnAccount(ownSubject, tablet.device)).toBeNull()
    await storeOwnAccount(ownSubject, { name: 'Wei' }, tablet.device)
    expect(await readOwnAccount(ownSubject, tablet.device)).toBeNull()
  })
})

describe('the loss of both databases (fault 45c)', () => {
  it('is shown on the login page until a login, and then inside the portal', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    tablet.loseStorage()
    // A page that was already open checks the database too, but nobody is signed in any longer.
    await checkCounts(tablet.ports, ownSubject)
    expect(await readLeftBehind(`portal-unsent=${tablet.tally}`, () => tablet.device)).toMatchObject({ lostCount: 3 })
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await readDataLoss(tablet.device)).toMatchObject({ writes: 3, kinds: { users: 2, modules: 1 } })
  })
})

describe('a lost database of the device (fault 45d)', () => {
  it('leaves the waiting writes, which are sent after the next login of their user', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    await deleteDatabase(tablet, 'device')
    expect(await readLeftBehind(`portal-unsent=${tablet.tally}`, () => tablet.device)).toMatchObject({
      waitingCount: 3,
    })
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('leaves another user no row, and no way to send the waiting writes', async () => {
    const { tablet } = await openTabletWithUnsentWrites()
    await deleteDatabase(tablet, 'device')
    tablet.connection.state = 'up'
    await tablet.signIn('acme', 'user2@acme.example')
    await tablet.settle()
    const db = tablet.device.getDatabase(ownSubject)
    expect(await db.table('users').count()).toBe(0)
    expect(await db.meta.get('session-generation')).toMatchObject({ open: false })
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.settle()
    expect(await tablet.countWaiting()).toBe(0)
    expect(await readDataLoss(tablet.device)).toBeNull()
  })
})

it("Older and newer builds can read each other's counts in the cookie (fault 45a)", () => {
  const text = formatCounts({ '7:1': { recordedCount: 12, waitingCount: 3, kinds: { users: 2, modules: 1 } } })
  expect(text).toBe('7-1.12.3_7-1.u2m1')
  const olderParts = text.split('_').filter((part) => /^(\d{1,10})-(\d{1,10})\.(\d{1,9})\.(\d{1,9})$/.test(part))
  expect(olderParts).toEqual(['7-1.12.3'])
  expect(parseCounts('7-1.12.3')).toEqual({ '7:1': { recordedCount: 12, waitingCount: 3 } })
  expect(parseCounts('7-1.m2_7-2.4.1')).toEqual({ '7:2': { recordedCount: 4, waitingCount: 1 } })
})
