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

/** A change of the own profile: a call whose fields stand by themselves. */
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

/** In how many transactions `action` stores writes. */
async function countTransactions(db: UserDatabase, action: () => Promise<unknown>): Promise<number> {
  const transactions = new Set<unknown>()
  const recordTransaction = (_key: unknown, _entry: OutboxEntry, transaction: unknown) =>
    void transactions.add(transaction)
  db.outbox.hook('creating', recordTransaction)
  await action().finally(() => db.outbox.hook('creating').unsubscribe(recordTransaction))
  return transactions.size
}

describe('writes that come together', () => {
  it('are stored together, in the order they came (O4)', async () => {
    const { db } = await openTestDevice()
    const drafts = Array.from({ length: 200 }, (_, index) => buildNewEntry({ target: index + 1 }))
    const count = await countTransactions(db, () => Promise.all(drafts.map((draft) => enqueue(db, draft))))
    expect(count).toBe(1)
    const stored = await db.outbox.orderBy('seq').toArray()
    expect(stored.map(({ intent }) => intent)).toEqual(drafts.map(({ intent }) => intent))
    expect(stored.map(({ seq }) => seq)).toEqual(drafts.map((_, index) => index + 1))
  })

  it('are based on the row as it is once what was written there before is done (protocol 9)', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry())
    const row = { ...buildUser(first.target as number), row_version: 7 }
    const [claimedEntry] = await claimEntries(db, claimOptions)
    await acceptWrite(db, claimedEntry as OutboxEntry, { ...acceptedWrite, row, version: 7 })
    expect(await db.outbox.count()).toBe(0)
    expect((await enqueue(db, buildNewEntry())).ifMatch).toBe(7)
  })

  it('see each other: of one row, the later is based on the earlier; sent twice, it is one', async () => {
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

  it('do not fail together: one that cannot be stored takes no other with it', async () => {
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

describe('the number of a write', () => {
  it('goes on where the last one left off, though nothing waits any more', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry())
    const [sentEntry] = await claimEntries(db, claimOptions)
    await acceptWrite(db, sentEntry as OutboxEntry, acceptedWrite)
    expect((await enqueue(db, buildNewEntry())).seq).toBe(first.seq + 1)
  })

  it('is behind all that wait, where a build that does not note it wrote meanwhile', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry())
    await db.outbox.put({ ...first, intent: crypto.randomUUID(), seq: first.seq + 5 })
    await db.meta.put({ name: 'write-counter', count: 2 })
    expect((await enqueue(db, buildNewEntry())).seq).toBe(first.seq + 6)
  })

  it('and what it is based on are found, whoever wrote last on the row', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildNewEntry())
    const otherEntry = { ...first, intent: crypto.randomUUID(), seq: first.seq + 1 }
    await db.outbox.put(otherEntry)
    expect((await enqueue(db, buildNewEntry())).ifMatch).toBe(`~${otherEntry.intent}`)
    await db.outbox.bulkDelete((await db.outbox.orderBy('seq').primaryKeys()).slice(1))
    expect((await enqueue(db, buildNewEntry())).ifMatch).toBe(`~${first.intent}`)
  })
})

it('a write under a remembered session is stored only while the gate stands as it stood (protocol 10)', async () => {
  const { db, device, generation } = await openTestDevice()
  await enqueue(db, buildNewEntry({ sessionGeneration: generation }))
  await openSession(device, { companyId, userId: 1 })
  const results = await Promise.allSettled([
    enqueue(db, buildNewEntry({ sessionGeneration: generation })),
    enqueue(db, buildNewEntry({ sessionGeneration: generation + 1 })),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(results[0]).toMatchObject({ reason: { name: 'GateMoved' } })
  expect(await db.outbox.count()).toBe(2)
})

describe('claiming with a thousand writes waiting', () => {
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
    ['one of each row', (index: number) => ({ target: index + 1 }), 64],
    ['all of one row', () => ({ target: 1 }), 64],
  ])('reads only what may be sent, not all of them: %s (O3)', async (_, buildFields, maxReadCount) => {
    expect(await countReadEntries(50, true, buildFields)).toBeLessThanOrEqual(maxReadCount)
  })

  it('one at a time, of one row: no more than a few stretches (O3)', async () => {
    expect(await countReadEntries(4, false, () => ({ target: 1 }))).toBeLessThanOrEqual(256)
  })
})

describe('a row that was made and taken away here, and never left', () => {
  it('is gone without a word to the server, with what was to happen to it (protocol 15)', async () => {
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

  it('is taken away by the server where its making may be on its way (protocol 15)', async () => {
    const { db } = await openTestDevice()
    const createEntry = await enqueue(db, buildCreation())
    await claimEntries(db, claimOptions)
    await enqueue(db, buildDeletion(`~${createEntry.intent}`))
    expect(await db.outbox.count()).toBe(2)
  })

  it('is taken away by the server where its making was sent once and has been mended since (protocol 15)', async () => {
    const { db } = await openTestDevice()
    const createEntry = await enqueue(db, buildCreation())
    const [sentEntry] = await claimEntries(db, claimOptions)
    await parkEntry(db, sentEntry as OutboxEntry, 'asks', createLocalProblem('TOO_OLD'))
    await resendEntry(db, createEntry.intent, { key: crypto.randomUUID() }, 1_000)
    await enqueue(db, buildDeletion(`~${createEntry.intent}`))
    expect(await db.outbox.count()).toBe(2)
  })

  it('stays where something else of another lane needs it', async () => {
    const { db } = await openTestDevice()
    const createEntry = await enqueue(db, buildCreation())
    await enqueue(db, buildNewEntry({ target: 2, referredIntents: [createEntry.intent] }))
    await enqueue(db, buildDeletion(`~${createEntry.intent}`))
    expect(await db.outbox.count()).toBe(3)
  })
})

describe('two changes of one row by a call whose fields stand by themselves', () => {
  it('go as one while neither left: later fields over earlier, on the oldest base (requirement 14)', async () => {
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

  it('whoever asks for the first is told what became of both', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildOwnChange({ name: 'B' }))
    const second = await enqueue(db, buildOwnChange({ name: 'C' }))
    expect((await findWriteStatus(db, first.intent)).entry?.intent).toBe(second.intent)
    const [sentEntry] = await claimEntries(db, claimOptions)
    await acceptWrite(db, sentEntry as OutboxEntry, acceptedWrite)
    expect(await findWriteStatus(db, first.intent)).toMatchObject({ entry: null, receipt: { outcome: 'done' } })
  })

  it('a form that was opened on the first is based on what it became part of, not on a name nobody knows', async () => {
    const { db } = await openTestDevice()
    const first = await enqueue(db, buildOwnChange({ name: 'B' }))
    const second = await enqueue(db, buildOwnChange({ name: 'C' }))
    await claimEntries(db, claimOptions)
    const third = await enqueue(db, buildOwnChange({ name: 'D' }, { ifMatch: `~${first.intent}` }))
    expect(third.ifMatch).toBe(`~${second.intent}`)
  })

  it('go one by one once the first may be on its way, or where the call does not say so', async () => {
    const { db } = await openTestDevice()
    await enqueue(db, buildOwnChange({ name: 'B' }))
    await claimEntries(db, claimOptions)
    await enqueue(db, buildOwnChange({ name: 'C' }))
    await enqueue(db, buildNewEntry({ target: 2 }))
    await enqueue(db, buildNewEntry({ target: 2 }))
    expect(await db.outbox.count()).toBe(4)
  })
})

it('a write is stored strictly: it is on disk before anybody is told (protocol 2)', async () => {
  const { db } = await openTestDevice()
  const durabilities: unknown[] = []
  db.outbox.hook('creating', (_key, _entry, { idbtrans }) => void durabilities.push(idbtrans.durability))
  await enqueue(db, buildNewEntry())
  expect(durabilities).toEqual(['strict'])
})

it('a connection that the browser closed is opened again, for whoever reads and whoever writes', async () => {
  const { db } = await openTestDevice()
  db.backendDB().close()
  const reads = [1, 2, 3].map(() => readInTransaction(db, ['outbox'], () => db.outbox.toArray()))
  const write = enqueue(db, buildNewEntry({ target: 1 }))
  expect((await Promise.all(reads)).every((entries) => entries.length <= 1)).toBe(true)
  await write
  expect(await db.outbox.count()).toBe(1)
})

it('a new write is not stored over itself when the connection closes as it is committed (protocol 11)', async () => {
  const { db } = await openTestDevice()
  const draft = buildNewEntry({ isNew: true })
  let attemptCount = 0
  const beginTransaction = db.transaction.bind(db) as (...args: unknown[]) => Promise<unknown>
  // Committed, and whoever waits for it is told that the connection is gone: the claim in between must stand.
  db.transaction = (async (...args: unknown[]) => {
    const result = await beginTransaction(...args)
    if (args[0] !== 'rw' || ++attemptCount > 1) return result
    await db.outbox.update(draft.intent, { state: 'sending', fence: 1 })
    throw new Dexie.DatabaseClosedError('closed')
  }) as never
  await enqueue(db, draft)
  expect(await db.outbox.toArray()).toMatchObject([{ state: 'sending', fence: 1 }])
})
