import { describe, expect, it } from 'vitest'
import { markEntryAllowed, dropStoredEntry, resendEntry } from '#local/outbox/entry-actions.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { storePage } from '#local/lists/response-store.ts'
import { acceptWrite, removeRefusedEntry, returnToQueue, parkEntry, pauseSending } from '#local/outbox/settle-entry.ts'
import { claimEntries } from '#local/outbox/claim.ts'
import { markSignedOut } from '#local/session/session.ts'
import { readRowOnDevice } from '#local/lists/read-row.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { freeze } from '#request/writes/record-write.ts'
import {
  buildNewEntry,
  buildUser,
  userList,
  firstPage,
  type TestDevice,
  openTestDevice,
  buildPageResponse,
} from '#tests/support/device/device-database.ts'

const buildClaimOptions = (options: Partial<Parameters<typeof claimEntries>[1]> = {}) => ({
  now: 1_000,
  leaseMs: 45_000,
  maxEntries: 4,
  generation: 1,
  isLockStolen: false,
  freezeRequest: freeze,
  ...options,
})
const buildAcceptedWrite = (fields: Partial<Parameters<typeof acceptWrite>[2]> = {}) => ({
  status: 200,
  body: '{}',
  row: null,
  version: null,
  now: 1_000,
  asOf: 1_000,
  generation: 1,
  ...fields,
})
const problem = { status: 409, code: 'DUP_USER', message: '', data: null, requestId: null }
const getIntents = (entries: OutboxEntry[]) => entries.map(({ intent }) => intent)

async function openDeviceWithRows(...rows: ReturnType<typeof buildUser>[]): Promise<TestDevice> {
  const testDevice = await openTestDevice()
  await storePage(testDevice.db, userList, firstPage, buildPageResponse(rows, 100), testDevice.generation)
  return testDevice
}

describe('claimEntries', () => {
  it('keeps two changes of one row in their order, and claims other rows meanwhile (requirement 9)', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry({ target: 1 }))
    const second = await enqueue(db, buildNewEntry({ target: 1 }))
    const other = await enqueue(db, buildNewEntry({ target: 2 }))
    expect(getIntents(await claimEntries(db, buildClaimOptions()))).toEqual([first.intent, other.intent])
    const claimedEntry = (await db.outbox.get(first.intent)) as OutboxEntry
    await acceptWrite(db, claimedEntry, buildAcceptedWrite())
    expect(getIntents(await claimEntries(db, buildClaimOptions({ isLockStolen: true })))).toEqual([second.intent])
  })

  it('holds the writes after a refused write of the same row, and no others', async () => {
    const { db } = await openTestDevice()
    await enqueue(db, buildNewEntry({ target: 1 }))
    await enqueue(db, buildNewEntry({ target: 1 }))
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await parkEntry(db, sentEntry as OutboxEntry, 'refused', problem)
    const other = await enqueue(db, buildNewEntry({ target: 2 }))
    expect(getIntents(await claimEntries(db, buildClaimOptions()))).toEqual([other.intent])
  })

  it('claims at most four rows at once', async () => {
    const { db } = await openTestDevice()
    for (let target = 1; target <= 6; target++) await enqueue(db, buildNewEntry({ target }))
    expect(await claimEntries(db, buildClaimOptions())).toHaveLength(4)
  })

  it('keeps writes to a created row under one queue key, before and after it has an id', async () => {
    const { db } = await openTestDevice()
    const createEntry = await enqueue(
      db,
      buildNewEntry({ endpoint: 'createUser', target: null, action: 'create', isVersioned: false }),
    )
    const earlierEntry = await enqueue(db, buildNewEntry({ target: `~${createEntry.intent}` }))
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await acceptWrite(db, sentEntry as OutboxEntry, buildAcceptedWrite({ status: 200, row: buildUser(42) }))
    const laterEntry = await enqueue(db, buildNewEntry({ target: 42 }))
    expect([earlierEntry.queueKey, laterEntry.queueKey]).toEqual([createEntry.queueKey, createEntry.queueKey])
    expect(getIntents(await claimEntries(db, buildClaimOptions()))).toEqual([earlierEntry.intent])
  })
})

describe('a sent entry', () => {
  it('has the same bytes and the same key in every attempt', async () => {
    const { db } = await openTestDevice()
    await enqueue(db, buildNewEntry())
    const [first] = await claimEntries(db, buildClaimOptions())
    await returnToQueue(db, first as OutboxEntry, {
      state: 'waiting',
      notBefore: 0,
      delayedBy: 'network',
      problem: null,
    })
    const [second] = await claimEntries(db, buildClaimOptions())
    expect(second?.bytes).toEqual(first?.bytes)
    expect(second?.bytes?.headers['idempotency-key']).toBe(second?.intent)
  })

  it('gets a new key under the same intent when a refused form is sent again', async () => {
    const { db } = await openTestDevice()
    const entry = await enqueue(db, buildNewEntry())
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await parkEntry(db, sentEntry as OutboxEntry, 'refused', problem)
    await removeRefusedEntry(db, entry.intent, 2_000, () => crypto.randomUUID())
    await enqueue(db, buildNewEntry({ intent: entry.intent }))
    const [resentEntry] = await claimEntries(db, buildClaimOptions())
    expect(resentEntry?.key).not.toBe(entry.key)
    expect(resentEntry?.bytes?.headers).toMatchObject({
      'idempotency-key': resentEntry?.key,
      'idempotency-intent': entry.intent,
    })
  })

  it('is stored once when a form is sent twice', async () => {
    const { db } = await openTestDevice()
    const draft = buildNewEntry()
    await enqueue(db, draft)
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await enqueue(db, { ...draft, key: crypto.randomUUID() })
    expect(await db.outbox.toArray()).toEqual([sentEntry])
  })

  it("is based on the user's latest write to the row, or else on the row as shown", async () => {
    const { db } = await openDeviceWithRows(buildUser(1, { row_version: 5 }))
    const first = await enqueue(db, buildNewEntry({ target: 1 }))
    const second = await enqueue(db, buildNewEntry({ target: 1 }))
    expect([first.ifMatch, second.ifMatch]).toEqual([5, `~${first.intent}`])
  })

  it('takes the base of a refused write that went back to its form', async () => {
    const { db } = await openDeviceWithRows(buildUser(1, { row_version: 5 }))
    const first = await enqueue(db, buildNewEntry({ target: 1 }))
    const second = await enqueue(db, buildNewEntry({ target: 1 }))
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await parkEntry(db, sentEntry as OutboxEntry, 'refused', problem)
    await removeRefusedEntry(db, first.intent, 2_000, () => crypto.randomUUID())
    expect((await db.outbox.get(second.intent))?.ifMatch).toBe(5)
  })

  it('waits while the server requests a pause, but not forever if the clock is set back', async () => {
    const { db } = await openTestDevice()
    await enqueue(db, buildNewEntry())
    await pauseSending(db, 10_000, 60_000)
    expect(await claimEntries(db, buildClaimOptions({ now: 20_000 }))).toEqual([])
    expect(await claimEntries(db, buildClaimOptions({ now: 5_000 }))).toHaveLength(1)
  })
})

describe('an entry that cannot be sent yet', () => {
  it('waits for the entry that it refers to under another queue key', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry({ target: 1 }))
    const second = await enqueue(db, buildNewEntry({ target: 2, referredIntents: [first.intent] }))
    const claimedEntries = await claimEntries(db, buildClaimOptions())
    expect(getIntents(claimedEntries)).toEqual([first.intent])
    await acceptWrite(db, claimedEntries[0] as OutboxEntry, buildAcceptedWrite())
    expect(getIntents(await claimEntries(db, buildClaimOptions()))).toEqual([second.intent])
  })

  it('waits for the newer build that made it, and holds no other entry (requirement 18)', async () => {
    const { db } = await openTestDevice()
    await enqueue(db, buildNewEntry({ endpoint: 'fromTheFuture', target: 1 }))
    const knownEntry = await enqueue(db, buildNewEntry({ target: 2 }))
    expect(getIntents(await claimEntries(db, buildClaimOptions()))).toEqual([knownEntry.intent])
  })

  it('is sent after the clock was set back', async () => {
    const { db } = await openTestDevice()
    await enqueue(db, buildNewEntry({ since: 9e12 }))
    const [sentEntry] = await claimEntries(db, buildClaimOptions({ now: 9e12 }))
    await returnToQueue(db, sentEntry as OutboxEntry, {
      state: 'waiting',
      notBefore: 9e12 + 60_000,
      delayedBy: 'server',
      problem: null,
    })
    expect(await claimEntries(db, buildClaimOptions({ now: 9e12 }))).toEqual([])
    expect(await claimEntries(db, buildClaimOptions({ now: 1_000 }))).toHaveLength(1)
  })
})

describe('an entry that is 30 days old or older', () => {
  const dayMs = 86_400_000
  async function enqueueForDays(days: number, fields = {}) {
    const { db } = await openTestDevice()
    const entry = await enqueue(db, buildNewEntry({ since: 0, ...fields }))
    await enqueue(db, buildNewEntry({ since: 0 }))
    return { db, entry, now: days * dayMs }
  }

  it('is shown to its user before it is sent if it is older, and holds its queue key (protocol 19, W-13)', async () => {
    const { db, entry, now } = await enqueueForDays(31)
    expect(await claimEntries(db, buildClaimOptions({ now, isChained: true }))).toEqual([])
    expect(await db.outbox.get(entry.intent)).toMatchObject({ state: 'asks', problem: { code: 'TOO_OLD' } })
    expect(await markEntryAllowed(db, entry.intent, now)).toBe(true)
    expect(getIntents(await claimEntries(db, buildClaimOptions({ now })))).toEqual([entry.intent])
  })

  it('is sent without a question at exactly 30 days', async () => {
    const { db, now } = await enqueueForDays(30)
    expect(await claimEntries(db, buildClaimOptions({ now }))).toHaveLength(1)
  })

  /** Builds an entry that was sent once without a response, and is 40 days old by now. */
  async function sendLongAgo() {
    const { db, entry } = await enqueueForDays(0)
    const [sentEntry] = await claimEntries(db, buildClaimOptions({ now: dayMs }))
    const retryState = { state: 'waiting', notBefore: 0, delayedBy: 'network', problem: null } as const
    await returnToQueue(db, sentEntry as OutboxEntry, retryState)
    await claimEntries(db, buildClaimOptions({ now: 40 * dayMs }))
    return { db, entry, sentEntry }
  }

  it('is sent again under its key if it was sent before, and is voided on the server when dropped', async () => {
    const { db, entry, sentEntry } = await sendLongAgo()
    expect(await dropStoredEntry(db, entry.intent, { now: 40 * dayMs, newId: () => 'other' })).toBe('requested')
    await db.outbox.update(entry.intent, { state: 'asks' })
    await db.outbox.update(entry.intent, {
      problem: { status: 0, code: 'TOO_OLD', message: '', data: null, requestId: null },
    })
    await markEntryAllowed(db, entry.intent, 40 * dayMs)
    const [resentEntry] = await claimEntries(db, buildClaimOptions({ now: 40 * dayMs }))
    expect([resentEntry?.key, resentEntry?.bytes]).toEqual([sentEntry?.key, sentEntry?.bytes])
  })

  it('is voided on the server if it was sent, fixed and dropped, because the first request may have taken effect', async () => {
    for (const resend of [
      (db: TestDevice['db'], { intent }: OutboxEntry) => resendEntry(db, intent, { key: 'mended' }, 40 * dayMs),
      (db: TestDevice['db'], { intent }: OutboxEntry) =>
        enqueue(db, buildNewEntry({ intent, key: 'mended', since: 40 * dayMs })),
    ]) {
      const { db, entry } = await sendLongAgo()
      await resend(db, entry)
      expect(await db.outbox.get(entry.intent)).toMatchObject({ key: 'mended', state: 'waiting', bytes: null })
      expect(await dropStoredEntry(db, entry.intent, { now: 40 * dayMs, newId: () => 'other' })).toBe('requested')
    }
  })

  it('is voided on the server when dropped, unless the refusal of its fixed copy followed a lookup of the intent', async () => {
    for (const [code, dropResult] of [
      ['VALIDATION_ERROR', 'requested'],
      ['NOT_SUPPORT', 'requested'],
      // The server looks up the intent before it returns this code.
      ['DUP_USER', 'gone'],
    ] as const)
      for (const isSentAgain of [false, true]) {
        const { db, entry } = await sendLongAgo()
        await resendEntry(db, entry.intent, { key: 'mended' }, 40 * dayMs)
        const [resentEntry] = await claimEntries(db, buildClaimOptions({ now: 40 * dayMs }))
        await parkEntry(db, resentEntry as OutboxEntry, 'refused', { ...problem, code })
        if (isSentAgain) await resendEntry(db, entry.intent, { key: 'mended twice' }, 41 * dayMs)
        expect(await dropStoredEntry(db, entry.intent, { now: 41 * dayMs, newId: () => 'other' }), code).toBe(
          dropResult,
        )
      }
  })

  it('is not shown again for its age after it was fixed', async () => {
    const { db, entry, now } = await enqueueForDays(31)
    await claimEntries(db, buildClaimOptions({ now }))
    await resendEntry(db, entry.intent, { key: 'mended' }, now)
    expect(getIntents(await claimEntries(db, buildClaimOptions({ now })))).toEqual([entry.intent])
  })
})

describe('an entry that was claimed twice', () => {
  async function claimTwice() {
    const { db } = await openTestDevice()
    await enqueue(db, buildNewEntry())
    const [firstClaim] = await claimEntries(db, buildClaimOptions())
    const [secondClaim] = await claimEntries(db, buildClaimOptions())
    return { db, firstClaim: firstClaim as OutboxEntry, secondClaim: secondClaim as OutboxEntry }
  }

  it('is not returned to the queue by the sender that lost its claim', async () => {
    const { db, firstClaim, secondClaim } = await claimTwice()
    expect(
      await returnToQueue(db, firstClaim, { state: 'waiting', notBefore: 9, delayedBy: 'network', problem: null }),
    ).toBe(false)
    expect((await db.outbox.get(secondClaim.intent))?.state).toBe('sending')
  })

  it('is settled by the final response to either sender, once', async () => {
    const { db, firstClaim, secondClaim } = await claimTwice()
    expect(await acceptWrite(db, firstClaim, buildAcceptedWrite())).toBe(true)
    expect(await acceptWrite(db, secondClaim, buildAcceptedWrite())).toBe(false)
    expect(await db.outbox.count()).toBe(0)
  })

  it('stays with a sender that is alive, although its lock was stolen, until the lease ends', async () => {
    const { db } = await openTestDevice()
    await enqueue(db, buildNewEntry())
    await claimEntries(db, buildClaimOptions())
    expect(await claimEntries(db, buildClaimOptions({ isLockStolen: true }))).toEqual([])
    expect(await claimEntries(db, buildClaimOptions({ isLockStolen: true, now: 50_000 }))).toHaveLength(1)
  })
})

describe('the overlay of a waiting write', () => {
  it('shows a change over its row until the entry is removed (requirement 21)', async () => {
    const { db, device } = await openDeviceWithRows(buildUser(1, { title: 0 }))
    const entry = await enqueue(db, buildNewEntry({ target: 1 }))
    const overlaidRow = await readRowOnDevice(device, 'users', 1)
    expect(overlaidRow).toMatchObject({ row: { title: 1 }, waiting: { intent: entry.intent, action: 'change' } })
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await parkEntry(db, sentEntry as OutboxEntry, 'refused', problem)
    expect((await readRowOnDevice(device, 'users', 1))?.waiting?.state).toBe('refused')
    await removeRefusedEntry(db, entry.intent, 2_000, () => crypto.randomUUID())
    expect(await readRowOnDevice(device, 'users', 1)).toMatchObject({ row: { title: 0 }, waiting: null })
  })

  it('shows a created row under its intent, and finds it by the intent after it has an id', async () => {
    const { db, device } = await openDeviceWithRows(buildUser(1))
    const body = { name: 'Made here', email: 'made@acme.example', title: 0 }
    const createEntry = await enqueue(
      db,
      buildNewEntry({ endpoint: 'createUser', target: null, action: 'create', input: { body }, isVersioned: false }),
    )
    const readRowIds = async () => (await readListOnDevice(device, userList, firstPage)).rows.map(({ row }) => row.id)
    expect(await readRowIds()).toEqual([`~${createEntry.intent}`, 1])
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await acceptWrite(db, sentEntry as OutboxEntry, buildAcceptedWrite({ row: buildUser(42, { name: 'Made here' }) }))
    expect(await readRowIds()).toEqual([42, 1])
    expect((await readRowOnDevice(device, 'users', `~${createEntry.intent}`))?.row.id).toBe(42)
  })

  it('shows a change over a row that got its id after the change was made', async () => {
    const { db, device } = await openDeviceWithRows(buildUser(1))
    const body = { name: 'Made here', email: 'made@acme.example', title: 0 }
    const createEntry = await enqueue(
      db,
      buildNewEntry({ endpoint: 'createUser', target: null, action: 'create', input: { body }, isVersioned: false }),
    )
    await enqueue(db, buildNewEntry({ target: `~${createEntry.intent}` }))
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await acceptWrite(db, sentEntry as OutboxEntry, buildAcceptedWrite({ row: buildUser(42) }))
    expect(await readRowOnDevice(device, 'users', 42)).toMatchObject({ row: { id: 42, title: 1 } })
  })
})

describe('the outbox after a sign-out', () => {
  it('gives no entry to a sender, and keeps the waiting entries', async () => {
    const { db, device } = await openDeviceWithRows(buildUser(1))
    await enqueue(db, buildNewEntry())
    await markSignedOut(device)
    expect(await claimEntries(db, buildClaimOptions())).toEqual([])
    expect(await db.outbox.count()).toBe(1)
    expect(await db.table('users').count()).toBe(0)
  })

  it('records a response that was in transit, and stores no row', async () => {
    const { db, device } = await openDeviceWithRows(buildUser(1))
    await enqueue(db, buildNewEntry())
    const [sentEntry] = await claimEntries(db, buildClaimOptions())
    await markSignedOut(device)
    await acceptWrite(db, sentEntry as OutboxEntry, buildAcceptedWrite({ row: buildUser(1, { row_version: 2 }) }))
    expect(await db.outbox.count()).toBe(0)
    expect(await db.table('users').count()).toBe(0)
  })
})
