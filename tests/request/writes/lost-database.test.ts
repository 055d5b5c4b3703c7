/** The browser took away one of the two databases of a device alone (fault 45). */
import { describe, expect, it } from 'vitest'
import { createModule } from '#contract/modules.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { onDeleted, readLoss } from '#local/outbox/data-loss.ts'
import { readCounts, writeCounts } from '#local/outbox/counters.ts'
import { readLeftBehind } from '#local/outbox/left-behind.ts'
import { readOwnAccount, storeOwnAccount } from '#local/session/own-account.ts'
import { checkCounts } from '#request/session/unsent-count.ts'
import { createClock, createTablet, type Tablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

const me = { companyId: company, userId: 1 }
const other = { companyId: company, userId: 2 }

async function withUnsent() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId: company } })
  await tablet.rest()
  tablet.line.state = 'down'
  await retitle(tablet, 2)
  await retitle(tablet, 3)
  await tablet.api.call(createModule, { body: { name: 'New', code: 'new' } })
  await tablet.rest()
  return { clock, tablet }
}
const retitle = (tablet: Tablet, id: number) =>
  tablet.api.call(updateCompanyUser, { params: { id }, body: { title: 1 } })
const users = async (tablet: Tablet) => (await tablet.list(listUsers, { scope: company })).rows.length

async function deleteDatabase(tablet: Tablet, which: 'user' | 'device') {
  await (which === 'user' ? tablet.device.of(me) : tablet.device.directory).delete()
  tablet.reopen()
}

describe('fault 45a: the database of the signed-in user alone is gone, without a connection', () => {
  it('what was lost is said: how many, and of what', async () => {
    const { clock, tablet } = await withUnsent()
    await deleteDatabase(tablet, 'user')
    expect(await checkCounts(tablet.ports, me)).toBe(true)
    expect(await readLoss(tablet.device)).toEqual({
      writes: 3,
      kinds: { users: 2, modules: 1 },
      noticedAt: clock.now(),
    })
  })

  it('the portal goes on empty: it records, and is filled and sends once the connection is back', async () => {
    const { tablet } = await withUnsent()
    await deleteDatabase(tablet, 'user')
    expect(await users(tablet)).toBe(0)
    // Whoever is quicker than the page that looks after it loses neither the write nor the alarm.
    expect(await retitle(tablet, 2)).toMatchObject({ kind: 'queued' })
    expect(await readLoss(tablet.device)).toMatchObject({ writes: 3 })
    tablet.line.state = 'up'
    await tablet.tick()
    expect(await tablet.waiting()).toBe(0)
    await tablet.api.call(listUsers, { params: { companyId: company } })
    await tablet.rest()
    expect(await users(tablet)).toBeGreaterThan(0)
  })

  it('a page that had it open hears of it', async () => {
    const { tablet } = await withUnsent()
    const db = tablet.device.of(me)
    await db.open()
    const heard = new Promise<void>((resolve) => onDeleted(db, resolve))
    const { indexedDB: factory } = db._options as { indexedDB: IDBFactory }
    await new Promise<void>((resolve, reject) => {
      const request = factory.deleteDatabase(db.name)
      request.onsuccess = () => resolve()
      request.onerror = () => reject(request.error)
    })
    await heard
    expect(await checkCounts(tablet.ports, me)).toBe(true)
    expect(await readLoss(tablet.device)).toMatchObject({ writes: 3 })
  })

  it('a database that is there is left as it is', async () => {
    const { tablet } = await withUnsent()
    expect(await checkCounts(tablet.ports, me)).toBe(false)
    expect(await tablet.waiting()).toBe(3)
    expect(await readLoss(tablet.device)).toBeNull()
  })

  it('nobody is let into it who has left', async () => {
    const { tablet } = await withUnsent()
    await tablet.signOut()
    await deleteDatabase(tablet, 'user')
    await checkCounts(tablet.ports, me)
    expect(await tablet.device.of(me).meta.get('session-generation')).toBeUndefined()
  })
})

describe('fault 45b: who is signed in is known without their database', () => {
  it('as long as the session is theirs', async () => {
    const { tablet } = await withUnsent()
    await storeOwnAccount(me, { name: 'Wei' }, tablet.device)
    await deleteDatabase(tablet, 'user')
    expect(await readOwnAccount(me, tablet.device)).toEqual({ name: 'Wei' })
    expect(await readOwnAccount(other, tablet.device)).toBeNull()
    await tablet.signOut()
    expect(await tablet.device.directory.session.toArray()).toMatchObject([{ name: 'now' }])
    await storeOwnAccount(me, { name: 'Wei' }, tablet.device)
    expect(await readOwnAccount(me, tablet.device)).toBeNull()
  })

  it('and not when another user comes, or is noted too late', async () => {
    const { tablet } = await withUnsent()
    await storeOwnAccount(me, { name: 'Wei' }, tablet.device)
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user2@acme.example')
    expect(await readOwnAccount(me, tablet.device)).toBeNull()
    await storeOwnAccount(me, { name: 'Wei' }, tablet.device)
    expect(await readOwnAccount(me, tablet.device)).toBeNull()
  })
})

describe('fault 45c: both databases are gone', () => {
  it('the login page says so until somebody logs in, and then the page inside does', async () => {
    const { tablet } = await withUnsent()
    tablet.loseStorage()
    // A page that stood open looks as well; nobody is signed in any more.
    await checkCounts(tablet.ports, me)
    expect(await readLeftBehind(`portal-unsent=${tablet.tally}`, () => tablet.device)).toMatchObject({ lost: 3 })
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    expect(await readLoss(tablet.device)).toMatchObject({ writes: 3, kinds: { users: 2, modules: 1 } })
  })
})

describe('fault 45d: the database of the device alone is gone', () => {
  it('what waits is sent once its user logs in again', async () => {
    const { tablet } = await withUnsent()
    await deleteDatabase(tablet, 'device')
    expect(await readLeftBehind(`portal-unsent=${tablet.tally}`, () => tablet.device)).toMatchObject({ waiting: 3 })
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(await tablet.waiting()).toBe(0)
  })

  it('another user who logs in finds no row of theirs, and cannot send what they left', async () => {
    const { tablet } = await withUnsent()
    await deleteDatabase(tablet, 'device')
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user2@acme.example')
    await tablet.rest()
    const db = tablet.device.of(me)
    expect(await db.table('users').count()).toBe(0)
    expect(await db.meta.get('session-generation')).toMatchObject({ open: false })
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    await tablet.rest()
    expect(await tablet.waiting()).toBe(0)
    expect(await readLoss(tablet.device)).toBeNull()
  })
})

it('fault 45a: an older build reads the counts of a cookie that names kinds, and ours reads those of an older one', () => {
  const text = writeCounts({ '7:1': { made: 12, waiting: 3, kinds: { users: 2, modules: 1 } } })
  expect(text).toBe('7-1.12.3_7-1.u2m1')
  const older = text.split('_').filter((part) => /^(\d{1,10})-(\d{1,10})\.(\d{1,9})\.(\d{1,9})$/.test(part))
  expect(older).toEqual(['7-1.12.3'])
  expect(readCounts('7-1.12.3')).toEqual({ '7:1': { made: 12, waiting: 3 } })
  expect(readCounts('7-1.m2_7-2.4.1')).toEqual({ '7:2': { made: 4, waiting: 1 } })
})
