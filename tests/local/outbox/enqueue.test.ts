import { Dexie } from 'dexie'
import { describe, expect, it } from 'vitest'
import { createLocalProblem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { resendEntry } from '#local/outbox/entry-actions.ts'
import { type NewEntry, enqueue } from '#local/outbox/enqueue.ts'
import { acceptWrite, parkEntry } from '#local/outbox/settle-entry.ts'
import { claimEntries } from '#local/outbox/claim.ts'
import { findWriteStatus } from '#local/outbox/status.ts'
import { readReceipts } from '#local/outbox/receipts.ts'
import { openSession } from '#local/session/session.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { readInTransaction } from '#local/storage/transaction.ts'
import { freeze } from '#request/writes/record-write.ts'
import { buildNewEntry, buildUser, companyId, openTestDevice } from '#tests/support/device/device-database.ts'

const claimOptions = {
  now: 1_000,
  leaseMs: 45_000,
  maxEntries: 4,
  generation: 1,
  isLockStolen: false,
  freezeRequest: freeze,
}
const acceptedWrite = { status: 200, body: '{}', row: null, version: null, now: 1_000, asOf: 1_000, generation: 1 }

/** Builds a change of the user's own profile, by an endpoint whose fields are independent of each other. */
const buildOwnChange = (body: Record<string, unknown>, fields: Partial<NewEntry> = {}) =>
  buildNewEntry({ endpoint: 'updateOwnUser', target: 1, input: { params: { id: 1 }, body }, ...fields })
const buildCreation = (fields: Partial<NewEntry> = {}) =>
  buildNewEntry({
    endpoint: 'createUser',
    target: null,
    action: 'create',
    isVersioned: false,
    input: { body: { name: 'Made here' } },
    ...fields,
  })
const buildDeletion = (target: NewEntry['target'], fields: Partial<NewEntry> = {}) =>
  buildNewEntry({ endpoint: 'deleteUser', target, action: 'delete', input: { params: { id: target } }, ...fields })

/** Returns the number of transactions in which `action` stores writes. */
async function countTransactions(db: UserDatabase, action: () => Promise<unknown>): Promise<number> {
  const transactions = new Set<unknown>()
  const recordTransaction = (_key: unknown, _entry: OutboxEntry, transaction: unknown) =>
    void transactions.add(transaction)
  db.outbox.hook('creating', recordTransaction)
  await action().finally(() => db.outbox.hook('creating').unsubscribe(recordTransaction))
  return transactions.size
}

describe('writes that arrive together', () => {
  it('are stored in one transaction, in their order (O4)', async () => {
    const { db } = await openTestDevice()
    const drafts = Array.from({ length: 200 }, (_, index) => buildNewEntry({ target: index + 1 }))
    const count = await countTransactions(db, () => Promise.all(drafts.map((draft) => enqueue(db, draft))))
    expect(count).toBe(1)
    const stored = await db.outbox.orderBy('seq').toArray()
    expect(stored.map(({ intent }) => intent)).toEqual(drafts.map(({ intent }) => intent))
    expect(stored.map(({ seq }) => seq)).toEqual(drafts.map((_, index) => index + 1))
  })

  it('are based on the row as it is after the earlier writes to it are done (protocol 9)', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry())
    const row = { ...buildUser(first.target as number), row_version: 7 }
    const [claimedEntry] = await claimEntries(db, claimOptions)
    await acceptWrite(db, claimedEntry as OutboxEntry, { ...acceptedWrite, row, version: 7 })
    expect(await db.outbox.count()).toBe(0)
    expect((await enqueue(db, buildNewEntry())).ifMatch).toBe(7)
  })

  it('are based on each other: a later write on the earlier one; a repeated write is stored once', async () => {
    const { db } = await openTestDevice()
    const repeatedDraft = buildNewEntry()
    const [first, second, third] = await Promise.all([
      enqueue(db, buildNewEntry()),
      enqueue(db, repeatedDraft),
      enqueue(db, { ...repeatedDraft, key: crypto.randomUUID() }),
    ])
    expect(second.ifMatch).toBe(`~${first.intent}`)
    expect(third).toEqual(second)
    expect(await db.outbox.count()).toBe(2)
  })

  it('fail separately if one of them cannot be stored', async () => {
    const { db } = await openTestDevice()
    const brokenEntry = buildNewEntry({ input: { body: { title: () => 'a function cannot be stored' } } })
    const results = await Promise.allSettled([
      enqueue(db, buildNewEntry()),
      enqueue(db, brokenEntry),
      enqueue(db, buildNewEntry()),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await db.outbox.count()).toBe(2)
  })
})

describe('the sequence number of a write', () => {
  it('continues after the last number, even if the outbox is empty', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry())
    const [sentEntry] = await claimEntries(db, claimOptions)
    await acceptWrite(db, sentEntry as OutboxEntry, acceptedWrite)
    expect((await enqueue(db, buildNewEntry())).seq).toBe(first.seq + 1)
  })

  it('is higher than that of all waiting writes, even if a build without the counter wrote them', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry())
    await db.outbox.put({ ...first, intent: crypto.randomUUID(), seq: first.seq + 5 })
    await db.meta.put({ name: 'write-counter', count: 2 })
    expect((await enqueue(db, buildNewEntry())).seq).toBe(first.seq + 6)
  })

  it('A new write is based on the last write to its row that is in the outbox', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry())
    const otherEntry = { ...first, intent: crypto.randomUUID(), seq: first.seq + 1 }
    await db.outbox.put(otherEntry)
    expect((await enqueue(db, buildNewEntry())).ifMatch).toBe(`~${otherEntry.intent}`)
    await db.outbox.bulkDelete((await db.outbox.orderBy('seq').primaryKeys()).slice(1))
    expect((await enqueue(db, buildNewEntry())).ifMatch).toBe(`~${first.intent}`)
  })
})

it('A write is stored only if its session generation is the current one (protocol 10)', async () => {
  const { db, device, generation } = await openTestDevice()
  await enqueue(db, buildNewEntry({ sessionGeneration: generation }))
  await openSession(device, { companyId, userId: 1 })
  const results = await Promise.allSettled([
    enqueue(db, buildNewEntry({ sessionGeneration: generation })),
    enqueue(db, buildNewEntry({ sessionGeneration: generation + 1 })),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(results[0]).toMatchObject({ reason: { name: 'SessionChangedError' } })
  expect(await db.outbox.count()).toBe(2)
})

describe('claiming from 1,000 waiting writes', () => {
  async function countReadEntries(
    maxEntries: number,
    isChained: boolean,
    buildFields: (index: number) => Partial<NewEntry>,
  ): Promise<number> {
    const { db } = await openTestDevice()
    await Promise.all(Array.from({ length: 1_000 }, (_, index) => enqueue(db, buildNewEntry(buildFields(index)))))
    let readCount = 0
    db.outbox.hook('reading', (entry) => {
      readCount += 1
      return entry
    })
    const claimedEntries = await claimEntries(db, { ...claimOptions, maxEntries, isChained })
    expect(claimedEntries.length).toBeGreaterThan(0)
    return readCount
  }

  it.each([
    ['one entry of each row', (index: number) => ({ target: index + 1 }), 64],
    ['all entries of one row', () => ({ target: 1 }), 64],
  ])('reads only entries that may be sent, not all: %s (O3)', async (_, buildFields, maxReadCount) => {
    expect(await countReadEntries(50, true, buildFields)).toBeLessThanOrEqual(maxReadCount)
  })

  it('reads at most 256 entries if the entries of one row are claimed singly (O3)', async () => {
    expect(await countReadEntries(4, false, () => ({ target: 1 }))).toBeLessThanOrEqual(256)
  })
})

describe('a row that was created and deleted on the device before it was sent', () => {
  it('is removed with its writes, and no request is sent (protocol 15)', async () => {
    const { db, device } = await openTestDevice()
    const createEntry = await enqueue(db, buildCreation())
    await enqueue(db, buildNewEntry({ target: `~${createEntry.intent}` }))
    const deleteEntry = await enqueue(db, buildDeletion(`~${createEntry.intent}`, { since: 99 }))
    expect(await db.outbox.count()).toBe(0)
    expect(await findWriteStatus(db, deleteEntry.intent)).toMatchObject({ entry: null, receipt: { status: 204 } })
    expect((await readReceipts(10, device)).map(({ outcome }) => outcome).sort()).toEqual([
      'done',
      'dropped',
      'dropped',
    ])
  })

  it('is deleted on the server if its creation may be in transit (protocol 15)', async () => {
    const { db } = await openTestDevice()
    const createEntry = await enqueue(db, buildCreation())
    await claimEntries(db, claimOptions)
    await enqueue(db, buildDeletion(`~${createEntry.intent}`))
    expect(await db.outbox.count()).toBe(2)
  })

  it('is deleted on the server if its creation was sent once and then fixed (protocol 15)', async () => {
    const { db } = await openTestDevice()
    const createEntry = await enqueue(db, buildCreation())
    const [sentEntry] = await claimEntries(db, claimOptions)
    await parkEntry(db, sentEntry as OutboxEntry, 'asks', createLocalProblem('TOO_OLD'))
    await resendEntry(db, createEntry.intent, { key: crypto.randomUUID() }, 1_000)
    await enqueue(db, buildDeletion(`~${createEntry.intent}`))
    expect(await db.outbox.count()).toBe(2)
  })

  it('stays if an entry of another queue key needs it', async () => {
    const { db } = await openTestDevice()
    const createEntry = await enqueue(db, buildCreation())
    await enqueue(db, buildNewEntry({ target: 2, referredIntents: [createEntry.intent] }))
    await enqueue(db, buildDeletion(`~${createEntry.intent}`))
    expect(await db.outbox.count()).toBe(3)
  })
})

describe('two changes of a row by an endpoint with independent fields', () => {
  it('are merged while none was sent: later fields win, on the oldest base (requirement 14)', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(
      db,
      buildOwnChange({ name: 'B', language: 'zh' }, { ifMatch: 4, base: { name: 'A', language: 'en' } }),
    )
    const second = await enqueue(
      db,
      buildOwnChange({ name: 'C' }, { ifMatch: `~${first.intent}`, base: { name: 'B' } }),
    )
    expect(await db.outbox.toArray()).toMatchObject([
      {
        intent: second.intent,
        key: second.intent,
        seq: first.seq,
        ifMatch: 4,
        base: { name: 'A', language: 'en' },
        input: { body: { name: 'C', language: 'zh' } },
      },
    ])
  })

  it('have one outcome, which is also found by the intent of the first change', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildOwnChange({ name: 'B' }))
    const second = await enqueue(db, buildOwnChange({ name: 'C' }))
    expect((await findWriteStatus(db, first.intent)).entry?.intent).toBe(second.intent)
    const [sentEntry] = await claimEntries(db, claimOptions)
    await acceptWrite(db, sentEntry as OutboxEntry, acceptedWrite)
    expect(await findWriteStatus(db, first.intent)).toMatchObject({ entry: null, receipt: { outcome: 'done' } })
  })

  it('give a later form the merged write as its base, not the first intent', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildOwnChange({ name: 'B' }))
    const second = await enqueue(db, buildOwnChange({ name: 'C' }))
    await claimEntries(db, claimOptions)
    const third = await enqueue(db, buildOwnChange({ name: 'D' }, { ifMatch: `~${first.intent}` }))
    expect(third.ifMatch).toBe(`~${second.intent}`)
  })

  it('stay separate once the first may be in transit, or if the endpoint does not allow merging', async () => {
    const { db } = await openTestDevice()
    await enqueue(db, buildOwnChange({ name: 'B' }))
    await claimEntries(db, claimOptions)
    await enqueue(db, buildOwnChange({ name: 'C' }))
    await enqueue(db, buildNewEntry({ target: 2 }))
    await enqueue(db, buildNewEntry({ target: 2 }))
    expect(await db.outbox.count()).toBe(4)
  })
})

it('A write is on disk before enqueue resolves (protocol 2)', async () => {
  const { db } = await openTestDevice()
  const durabilities: unknown[] = []
  db.outbox.hook('creating', (_key, _entry, { idbtrans }) => void durabilities.push(idbtrans.durability))
  await enqueue(db, buildNewEntry())
  expect(durabilities).toEqual(['strict'])
})

it('A connection that the browser closed is opened again for reads and writes', async () => {
  const { db } = await openTestDevice()
  db.backendDB().close()
  const reads = [1, 2, 3].map(() => readInTransaction(db, ['outbox'], () => db.outbox.toArray()))
  const write = enqueue(db, buildNewEntry({ target: 1 }))
  expect((await Promise.all(reads)).every((entries) => entries.length <= 1)).toBe(true)
  await write
  expect(await db.outbox.count()).toBe(1)
})

it('A new write is not stored twice if the connection closes during its commit (protocol 11)', async () => {
  const { db } = await openTestDevice()
  const draft = buildNewEntry({ isNew: true })
  let attemptCount = 0
  const beginTransaction = db.transaction.bind(db) as (...args: unknown[]) => Promise<unknown>
  // The commit succeeds, but the caller gets the error of a closed connection. The claim that happens in between must stay valid.
  db.transaction = (async (...args: unknown[]) => {
    const result = await beginTransaction(...args)
    if (args[0] !== 'rw' || ++attemptCount > 1) return result
    await db.outbox.update(draft.intent, { state: 'sending', fence: 1 })
    throw new Dexie.DatabaseClosedError('closed')
  }) as never
  await enqueue(db, draft)
  expect(await db.outbox.toArray()).toMatchObject([{ state: 'sending', fence: 1 }])
})
