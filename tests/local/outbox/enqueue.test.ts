import { Dexie } from 'dexie'
import { describe, expect, it } from 'vitest'
import { localProblem } from '#contract/problem.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { sendAgain } from '#local/outbox/user-actions.ts'
import { type NewEntry, enqueue } from '#local/outbox/enqueue.ts'
import { accept, holdForUser } from '#local/outbox/settle.ts'
import { claim } from '#local/outbox/claim.ts'
import { lookUp } from '#local/outbox/status.ts'
import { readReceipts } from '#local/outbox/receipts.ts'
import { openSession } from '#local/session/session.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { readTogether } from '#local/storage/transaction.ts'
import { freeze } from '#request/writes/record-write.ts'
import { aDraft, aUser, company, keptDevice } from '#tests/support/device/device-database.ts'

const claiming = { now: 1_000, leaseMs: 45_000, most: 4, generation: 1, stolen: false, freeze }
const accepted = { status: 200, body: '{}', row: null, version: null, now: 1_000, asOf: 1_000, generation: 1 }

/** A change of the own profile: a call whose fields stand by themselves. */
const ownDraft = (body: Record<string, unknown>, given: Partial<NewEntry> = {}) =>
  aDraft({ endpoint: 'updateOwnUser', target: 1, input: { params: { id: 1 }, body }, ...given })
const creation = (given: Partial<NewEntry> = {}) =>
  aDraft({
    endpoint: 'createUser',
    target: null,
    action: 'create',
    versioned: false,
    input: { body: { name: 'Made here' } },
    ...given,
  })
const deletion = (target: NewEntry['target'], given: Partial<NewEntry> = {}) =>
  aDraft({ endpoint: 'deleteUser', target, action: 'delete', input: { params: { id: target } }, ...given })

/** In how many transactions `act` stores writes. */
async function countTransactions(db: UserDatabase, act: () => Promise<unknown>): Promise<number> {
  const transactions = new Set<unknown>()
  const note = (_key: unknown, _entry: OutboxEntry, transaction: unknown) => void transactions.add(transaction)
  db.outbox.hook('creating', note)
  await act().finally(() => db.outbox.hook('creating').unsubscribe(note))
  return transactions.size
}

describe('writes that come together', () => {
  it('are stored together, in the order they came (O4)', async () => {
    const { db } = await keptDevice()
    const drafts = Array.from({ length: 200 }, (_, at) => aDraft({ target: at + 1 }))
    const count = await countTransactions(db, () => Promise.all(drafts.map((draft) => enqueue(db, draft))))
    expect(count).toBe(1)
    const stored = await db.outbox.orderBy('seq').toArray()
    expect(stored.map(({ intent }) => intent)).toEqual(drafts.map(({ intent }) => intent))
    expect(stored.map(({ seq }) => seq)).toEqual(drafts.map((_, at) => at + 1))
  })

  it('are based on the row as it is once what was written there before is done (protocol 9)', async () => {
    const { db } = await keptDevice()
    const first = await enqueue(db, aDraft())
    const row = { ...aUser(first.target as number), row_version: 7 }
    const [claimed] = await claim(db, claiming)
    await accept(db, claimed as OutboxEntry, { ...accepted, row, version: 7 })
    expect(await db.outbox.count()).toBe(0)
    expect((await enqueue(db, aDraft())).ifMatch).toBe(7)
  })

  it('see each other: of one row, the later is based on the earlier; sent twice, it is one', async () => {
    const { db } = await keptDevice()
    const twice = aDraft()
    const [first, second, third] = await Promise.all([
      enqueue(db, aDraft()),
      enqueue(db, twice),
      enqueue(db, { ...twice, key: crypto.randomUUID() }),
    ])
    expect(second.ifMatch).toBe(`~${first.intent}`)
    expect(third).toEqual(second)
    expect(await db.outbox.count()).toBe(2)
  })

  it('do not fail together: one that cannot be stored takes no other with it', async () => {
    const { db } = await keptDevice()
    const broken = aDraft({ input: { body: { title: () => 'a function cannot be stored' } } })
    const results = await Promise.allSettled([enqueue(db, aDraft()), enqueue(db, broken), enqueue(db, aDraft())])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await db.outbox.count()).toBe(2)
  })
})

describe('the number of a write', () => {
  it('goes on where the last one left off, though nothing waits any more', async () => {
    const { db } = await keptDevice()
    const first = await enqueue(db, aDraft())
    const [sent] = await claim(db, claiming)
    await accept(db, sent as OutboxEntry, accepted)
    expect((await enqueue(db, aDraft())).seq).toBe(first.seq + 1)
  })

  it('is behind all that wait, where a build that does not note it wrote meanwhile', async () => {
    const { db } = await keptDevice()
    const first = await enqueue(db, aDraft())
    await db.outbox.put({ ...first, intent: crypto.randomUUID(), seq: first.seq + 5 })
    await db.meta.put({ name: 'write-counter', count: 2 })
    expect((await enqueue(db, aDraft())).seq).toBe(first.seq + 6)
  })

  it('and what it is based on are found, whoever wrote last on the row', async () => {
    const { db } = await keptDevice()
    const first = await enqueue(db, aDraft())
    const other = { ...first, intent: crypto.randomUUID(), seq: first.seq + 1 }
    await db.outbox.put(other)
    expect((await enqueue(db, aDraft())).ifMatch).toBe(`~${other.intent}`)
    await db.outbox.bulkDelete((await db.outbox.orderBy('seq').primaryKeys()).slice(1))
    expect((await enqueue(db, aDraft())).ifMatch).toBe(`~${first.intent}`)
  })
})

it('a write under a remembered session is stored only while the gate stands as it stood (protocol 10)', async () => {
  const { db, device, generation } = await keptDevice()
  await enqueue(db, aDraft({ gate: generation }))
  await openSession(device, { companyId: company, userId: 1 })
  const results = await Promise.allSettled([
    enqueue(db, aDraft({ gate: generation })),
    enqueue(db, aDraft({ gate: generation + 1 })),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  expect(results[0]).toMatchObject({ reason: { name: 'GateMoved' } })
  expect(await db.outbox.count()).toBe(2)
})

describe('claiming with a thousand writes waiting', () => {
  async function readFor(most: number, chained: boolean, given: (at: number) => Partial<NewEntry>): Promise<number> {
    const { db } = await keptDevice()
    await Promise.all(Array.from({ length: 1_000 }, (_, at) => enqueue(db, aDraft(given(at)))))
    let read = 0
    db.outbox.hook('reading', (entry) => {
      read += 1
      return entry
    })
    const claimed = await claim(db, { ...claiming, most, chained })
    expect(claimed.length).toBeGreaterThan(0)
    return read
  }

  it.each([
    ['one of each row', (at: number) => ({ target: at + 1 }), 64],
    ['all of one row', () => ({ target: 1 }), 64],
  ])('reads only what may be sent, not all of them: %s (O3)', async (_, given, most) => {
    expect(await readFor(50, true, given)).toBeLessThanOrEqual(most)
  })

  it('one at a time, of one row: no more than a few stretches (O3)', async () => {
    expect(await readFor(4, false, () => ({ target: 1 }))).toBeLessThanOrEqual(256)
  })
})

describe('a row that was made and taken away here, and never left', () => {
  it('is gone without a word to the server, with what was to happen to it (protocol 15)', async () => {
    const { db, device } = await keptDevice()
    const made = await enqueue(db, creation())
    await enqueue(db, aDraft({ target: `~${made.intent}` }))
    const gone = await enqueue(db, deletion(`~${made.intent}`, { since: 99 }))
    expect(await db.outbox.count()).toBe(0)
    expect(await lookUp(db, gone.intent)).toMatchObject({ entry: null, receipt: { status: 204 } })
    expect((await readReceipts(10, device)).map(({ outcome }) => outcome).sort()).toEqual([
      'done',
      'dropped',
      'dropped',
    ])
  })

  it('is taken away by the server where its making may be on its way (protocol 15)', async () => {
    const { db } = await keptDevice()
    const made = await enqueue(db, creation())
    await claim(db, claiming)
    await enqueue(db, deletion(`~${made.intent}`))
    expect(await db.outbox.count()).toBe(2)
  })

  it('is taken away by the server where its making was sent once and has been mended since (protocol 15)', async () => {
    const { db } = await keptDevice()
    const made = await enqueue(db, creation())
    const [sent] = await claim(db, claiming)
    await holdForUser(db, sent as OutboxEntry, 'asks', localProblem('TOO_OLD'))
    await sendAgain(db, made.intent, { key: crypto.randomUUID() }, 1_000)
    await enqueue(db, deletion(`~${made.intent}`))
    expect(await db.outbox.count()).toBe(2)
  })

  it('stays where something else of another lane needs it', async () => {
    const { db } = await keptDevice()
    const made = await enqueue(db, creation())
    await enqueue(db, aDraft({ target: 2, refers: [made.intent] }))
    await enqueue(db, deletion(`~${made.intent}`))
    expect(await db.outbox.count()).toBe(3)
  })
})

describe('two changes of one row by a call whose fields stand by themselves', () => {
  it('go as one while neither left: later fields over earlier, on the oldest base (requirement 14)', async () => {
    const { db } = await keptDevice()
    const first = await enqueue(
      db,
      ownDraft({ name: 'B', language: 'zh' }, { ifMatch: 4, base: { name: 'A', language: 'en' } }),
    )
    const second = await enqueue(db, ownDraft({ name: 'C' }, { ifMatch: `~${first.intent}`, base: { name: 'B' } }))
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
    const { db } = await keptDevice()
    const first = await enqueue(db, ownDraft({ name: 'B' }))
    const second = await enqueue(db, ownDraft({ name: 'C' }))
    expect((await lookUp(db, first.intent)).entry?.intent).toBe(second.intent)
    const [sent] = await claim(db, claiming)
    await accept(db, sent as OutboxEntry, accepted)
    expect(await lookUp(db, first.intent)).toMatchObject({ entry: null, receipt: { outcome: 'done' } })
  })

  it('a form that was opened on the first is based on what it became part of, not on a name nobody knows', async () => {
    const { db } = await keptDevice()
    const first = await enqueue(db, ownDraft({ name: 'B' }))
    const second = await enqueue(db, ownDraft({ name: 'C' }))
    await claim(db, claiming)
    const third = await enqueue(db, ownDraft({ name: 'D' }, { ifMatch: `~${first.intent}` }))
    expect(third.ifMatch).toBe(`~${second.intent}`)
  })

  it('go one by one once the first may be on its way, or where the call does not say so', async () => {
    const { db } = await keptDevice()
    await enqueue(db, ownDraft({ name: 'B' }))
    await claim(db, claiming)
    await enqueue(db, ownDraft({ name: 'C' }))
    await enqueue(db, aDraft({ target: 2 }))
    await enqueue(db, aDraft({ target: 2 }))
    expect(await db.outbox.count()).toBe(4)
  })
})

it('a write is stored strictly: it is on disk before anybody is told (protocol 2)', async () => {
  const { db } = await keptDevice()
  const durabilities: unknown[] = []
  db.outbox.hook('creating', (_key, _entry, { idbtrans }) => void durabilities.push(idbtrans.durability))
  await enqueue(db, aDraft())
  expect(durabilities).toEqual(['strict'])
})

it('a connection that the browser closed is opened again, for whoever reads and whoever writes', async () => {
  const { db } = await keptDevice()
  db.backendDB().close()
  const reads = [1, 2, 3].map(() => readTogether(db, ['outbox'], () => db.outbox.toArray()))
  const write = enqueue(db, aDraft({ target: 1 }))
  expect((await Promise.all(reads)).every((entries) => entries.length <= 1)).toBe(true)
  await write
  expect(await db.outbox.count()).toBe(1)
})

it('a new write is not stored over itself when the connection closes as it is committed (protocol 11)', async () => {
  const { db } = await keptDevice()
  const draft = aDraft({ isNew: true })
  let lives = 0
  const begin = db.transaction.bind(db) as (...args: unknown[]) => Promise<unknown>
  // Committed, and whoever waits for it is told that the connection is gone: the claim in between must stand.
  db.transaction = (async (...args: unknown[]) => {
    const result = await begin(...args)
    if (args[0] !== 'rw' || ++lives > 1) return result
    await db.outbox.update(draft.intent, { state: 'sending', fence: 1 })
    throw new Dexie.DatabaseClosedError('closed')
  }) as never
  await enqueue(db, draft)
  expect(await db.outbox.toArray()).toMatchObject([{ state: 'sending', fence: 1 }])
})
