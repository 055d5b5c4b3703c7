import { describe, expect, it } from 'vitest'
import { allow, drop, sendAgain } from '#local/outbox/user-actions.ts'
import { enqueue } from '#local/outbox/enqueue.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storePage } from '#local/lists/response-store.ts'
import { accept, forgetRefused, returnToQueue, holdForUser, pauseSending } from '#local/outbox/settle.ts'
import { claim } from '#local/outbox/claim.ts'
import { markSignedOut } from '#local/session/session.ts'
import { readRowOn } from '#local/lists/read-row.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import { freeze } from '#request/writes/record-write.ts'
import {
  aDraft,
  aUser,
  list,
  firstPage,
  type Kept,
  keptDevice,
  pageAnswer,
} from '#tests/support/device/device-database.ts'

const claiming = (given: Partial<Parameters<typeof claim>[1]> = {}) => ({
  now: 1_000,
  leaseMs: 45_000,
  most: 4,
  generation: 1,
  stolen: false,
  freeze,
  ...given,
})
const accepted = (given: Partial<Parameters<typeof accept>[2]> = {}) => ({
  status: 200,
  body: '{}',
  row: null,
  version: null,
  now: 1_000,
  asOf: 1_000,
  generation: 1,
  ...given,
})
const problem = { status: 409, code: 'DUP_USER', message: '', data: null, requestId: null }
const intents = (entries: OutboxEntry[]) => entries.map(({ intent }) => intent)

async function withRows(...rows: ReturnType<typeof aUser>[]): Promise<Kept> {
  const kept = await keptDevice()
  await storePage(kept.db, list, firstPage, pageAnswer(rows, 100), kept.generation)
  return kept
}

describe('the order in which writes leave', () => {
  it('keeps two changes of one row in the order they were made, and lets other rows pass (requirement 9)', async () => {
    const { db } = await keptDevice()
    const first = await enqueue(db, aDraft({ target: 1 }))
    const second = await enqueue(db, aDraft({ target: 1 }))
    const other = await enqueue(db, aDraft({ target: 2 }))
    expect(intents(await claim(db, claiming()))).toEqual([first.intent, other.intent])
    const now = (await db.outbox.get(first.intent)) as OutboxEntry
    await accept(db, now, accepted())
    expect(intents(await claim(db, claiming({ stolen: true })))).toEqual([second.intent])
  })

  it('holds what follows a refused write of the same row, and nothing else', async () => {
    const { db } = await keptDevice()
    await enqueue(db, aDraft({ target: 1 }))
    await enqueue(db, aDraft({ target: 1 }))
    const [sent] = await claim(db, claiming())
    await holdForUser(db, sent as OutboxEntry, 'refused', problem)
    const other = await enqueue(db, aDraft({ target: 2 }))
    expect(intents(await claim(db, claiming()))).toEqual([other.intent])
  })

  it('sends at most four rows at once', async () => {
    const { db } = await keptDevice()
    for (let target = 1; target <= 6; target++) await enqueue(db, aDraft({ target }))
    expect(await claim(db, claiming())).toHaveLength(4)
  })

  it('keeps writes on a made row in one lane, before and after it has an id', async () => {
    const { db } = await keptDevice()
    const made = await enqueue(db, aDraft({ endpoint: 'createUser', target: null, action: 'create', versioned: false }))
    const before = await enqueue(db, aDraft({ target: `~${made.intent}` }))
    const [sent] = await claim(db, claiming())
    await accept(db, sent as OutboxEntry, accepted({ status: 200, row: aUser(42) }))
    const after = await enqueue(db, aDraft({ target: 42 }))
    expect([before.queueKey, after.queueKey]).toEqual([made.queueKey, made.queueKey])
    expect(intents(await claim(db, claiming()))).toEqual([before.intent])
  })
})

describe('what is sent', () => {
  it('is the same to the byte in every attempt, with the same key', async () => {
    const { db } = await keptDevice()
    await enqueue(db, aDraft())
    const [first] = await claim(db, claiming())
    await returnToQueue(db, first as OutboxEntry, {
      state: 'waiting',
      notBefore: 0,
      delayedBy: 'network',
      problem: null,
    })
    const [second] = await claim(db, claiming())
    expect(second?.bytes).toEqual(first?.bytes)
    expect(second?.bytes?.headers['idempotency-key']).toBe(second?.intent)
  })

  it('gets a new key when a refused form is sent again, under the same intent', async () => {
    const { db } = await keptDevice()
    const entry = await enqueue(db, aDraft())
    const [sent] = await claim(db, claiming())
    await holdForUser(db, sent as OutboxEntry, 'refused', problem)
    await forgetRefused(db, entry.intent, 2_000, () => crypto.randomUUID())
    await enqueue(db, aDraft({ intent: entry.intent }))
    const [again] = await claim(db, claiming())
    expect(again?.key).not.toBe(entry.key)
    expect(again?.bytes?.headers).toMatchObject({
      'idempotency-key': again?.key,
      'idempotency-intent': entry.intent,
    })
  })

  it('is one write when a form is sent twice', async () => {
    const { db } = await keptDevice()
    const draft = aDraft()
    await enqueue(db, draft)
    const [sent] = await claim(db, claiming())
    await enqueue(db, { ...draft, key: crypto.randomUUID() })
    expect(await db.outbox.toArray()).toEqual([sent])
  })

  it('is based on the newest own write of the row, else on the row as shown', async () => {
    const { db } = await withRows(aUser(1, { row_version: 5 }))
    const first = await enqueue(db, aDraft({ target: 1 }))
    const second = await enqueue(db, aDraft({ target: 1 }))
    expect([first.ifMatch, second.ifMatch]).toEqual([5, `~${first.intent}`])
  })

  it('is based on what a refused write was based on, once that one went back to its form', async () => {
    const { db } = await withRows(aUser(1, { row_version: 5 }))
    const first = await enqueue(db, aDraft({ target: 1 }))
    const second = await enqueue(db, aDraft({ target: 1 }))
    const [sent] = await claim(db, claiming())
    await holdForUser(db, sent as OutboxEntry, 'refused', problem)
    await forgetRefused(db, first.intent, 2_000, () => crypto.randomUUID())
    expect((await db.outbox.get(second.intent))?.ifMatch).toBe(5)
  })

  it('waits while the server asked for a pause, but not for ever when the clock is turned back', async () => {
    const { db } = await keptDevice()
    await enqueue(db, aDraft())
    await pauseSending(db, 10_000, 60_000)
    expect(await claim(db, claiming({ now: 20_000 }))).toEqual([])
    expect(await claim(db, claiming({ now: 5_000 }))).toHaveLength(1)
  })
})

describe('a write that cannot go yet', () => {
  it('waits for the one it refers to, which stands in another lane', async () => {
    const { db } = await keptDevice()
    const first = await enqueue(db, aDraft({ target: 1 }))
    const second = await enqueue(db, aDraft({ target: 2, refers: [first.intent] }))
    const claimed = await claim(db, claiming())
    expect(intents(claimed)).toEqual([first.intent])
    await accept(db, claimed[0] as OutboxEntry, accepted())
    expect(intents(await claim(db, claiming()))).toEqual([second.intent])
  })

  it('because a newer build made it, waits for that build and holds nobody else (requirement 18)', async () => {
    const { db } = await keptDevice()
    await enqueue(db, aDraft({ endpoint: 'fromTheFuture', target: 1 }))
    const known = await enqueue(db, aDraft({ target: 2 }))
    expect(intents(await claim(db, claiming()))).toEqual([known.intent])
  })

  it('goes after all when the clock that says so was turned', async () => {
    const { db } = await keptDevice()
    await enqueue(db, aDraft({ since: 9e12 }))
    const [sent] = await claim(db, claiming({ now: 9e12 }))
    await returnToQueue(db, sent as OutboxEntry, {
      state: 'waiting',
      notBefore: 9e12 + 60_000,
      delayedBy: 'server',
      problem: null,
    })
    expect(await claim(db, claiming({ now: 9e12 }))).toEqual([])
    expect(await claim(db, claiming({ now: 1_000 }))).toHaveLength(1)
  })
})

describe('a write that is over thirty days old', () => {
  const day = 86_400_000
  async function leftFor(days: number, given = {}) {
    const { db } = await keptDevice()
    const entry = await enqueue(db, aDraft({ since: 0, ...given }))
    await enqueue(db, aDraft({ since: 0 }))
    return { db, entry, now: days * day }
  }

  it('is shown to its user before it is sent, and holds its lane (protocol 19, W-13)', async () => {
    const { db, entry, now } = await leftFor(31)
    expect(await claim(db, claiming({ now, chained: true }))).toEqual([])
    expect(await db.outbox.get(entry.intent)).toMatchObject({ state: 'asks', problem: { code: 'TOO_OLD' } })
    expect(await allow(db, entry.intent, now)).toBe(true)
    expect(intents(await claim(db, claiming({ now })))).toEqual([entry.intent])
  })

  it('goes by itself up to then', async () => {
    const { db, now } = await leftFor(30)
    expect(await claim(db, claiming({ now }))).toHaveLength(1)
  })

  /** Sent once without an answer, and old by now. */
  async function sentLongAgo() {
    const { db, entry } = await leftFor(0)
    const [sent] = await claim(db, claiming({ now: day }))
    const again = { state: 'waiting', notBefore: 0, delayedBy: 'network', problem: null } as const
    await returnToQueue(db, sent as OutboxEntry, again)
    await claim(db, claiming({ now: 40 * day }))
    return { db, entry, sent }
  }

  it('that was sent before goes on under the same key, or is taken back from the server, not only from here', async () => {
    const { db, entry, sent } = await sentLongAgo()
    expect(await drop(db, entry.intent, { now: 40 * day, newId: () => 'other' })).toBe('asked')
    await db.outbox.update(entry.intent, { state: 'asks' })
    await db.outbox.update(entry.intent, {
      problem: { status: 0, code: 'TOO_OLD', message: '', data: null, requestId: null },
    })
    await allow(db, entry.intent, 40 * day)
    const [again] = await claim(db, claiming({ now: 40 * day }))
    expect([again?.key, again?.bytes]).toEqual([sent?.key, sent?.bytes])
  })

  it('that was sent before and is mended is taken back from the server too, because the first bytes may be done', async () => {
    for (const mend of [
      (db: Kept['db'], { intent }: OutboxEntry) => sendAgain(db, intent, { key: 'mended' }, 40 * day),
      (db: Kept['db'], { intent }: OutboxEntry) => enqueue(db, aDraft({ intent, key: 'mended', since: 40 * day })),
    ]) {
      const { db, entry } = await sentLongAgo()
      await mend(db, entry)
      expect(await db.outbox.get(entry.intent)).toMatchObject({ key: 'mended', state: 'waiting', bytes: null })
      expect(await drop(db, entry.intent, { now: 40 * day, newId: () => 'other' })).toBe('asked')
    }
  })

  it('that was mended and refused before the server looked it up is taken back from the server still, also sent again', async () => {
    for (const [code, how] of [
      ['VALIDATION_ERROR', 'asked'],
      ['NOT_SUPPORT', 'asked'],
      // The server looks up what it knows of the intent before it says this.
      ['DUP_USER', 'gone'],
    ] as const)
      for (const isSentAgain of [false, true]) {
        const { db, entry } = await sentLongAgo()
        await sendAgain(db, entry.intent, { key: 'mended' }, 40 * day)
        const [mended] = await claim(db, claiming({ now: 40 * day }))
        await holdForUser(db, mended as OutboxEntry, 'refused', { ...problem, code })
        if (isSentAgain) await sendAgain(db, entry.intent, { key: 'mended twice' }, 41 * day)
        expect(await drop(db, entry.intent, { now: 41 * day, newId: () => 'other' }), code).toBe(how)
      }
  })

  it('that was mended is not shown again for its age', async () => {
    const { db, entry, now } = await leftFor(31)
    await claim(db, claiming({ now }))
    await sendAgain(db, entry.intent, { key: 'mended' }, now)
    expect(intents(await claim(db, claiming({ now })))).toEqual([entry.intent])
  })
})

describe('who may say what became of a write', () => {
  async function claimedTwice() {
    const { db } = await keptDevice()
    await enqueue(db, aDraft())
    const [old] = await claim(db, claiming())
    const [young] = await claim(db, claiming())
    return { db, old: old as OutboxEntry, young: young as OutboxEntry }
  }

  it('a sender whose claim was taken over can no longer give it back', async () => {
    const { db, old, young } = await claimedTwice()
    expect(await returnToQueue(db, old, { state: 'waiting', notBefore: 9, delayedBy: 'network', problem: null })).toBe(
      false,
    )
    expect((await db.outbox.get(young.intent))?.state).toBe('sending')
  })

  it('but its final answer counts', async () => {
    const { db, old, young } = await claimedTwice()
    expect(await accept(db, old, accepted())).toBe(true)
    expect(await accept(db, young, accepted())).toBe(false)
    expect(await db.outbox.count()).toBe(0)
  })

  it('what another still sends is left alone when its lock was taken from it alive', async () => {
    const { db } = await keptDevice()
    await enqueue(db, aDraft())
    await claim(db, claiming())
    expect(await claim(db, claiming({ stolen: true }))).toEqual([])
    expect(await claim(db, claiming({ stolen: true, now: 50_000 }))).toHaveLength(1)
  })
})

describe('what is shown of a waiting write', () => {
  it('a change lies over its row and vanishes with its entry (requirement 21)', async () => {
    const { db, device } = await withRows(aUser(1, { title: 0 }))
    const entry = await enqueue(db, aDraft({ target: 1 }))
    const shown = await readRowOn(device, 'users', 1)
    expect(shown).toMatchObject({ row: { title: 1 }, waiting: { intent: entry.intent, action: 'change' } })
    const [sent] = await claim(db, claiming())
    await holdForUser(db, sent as OutboxEntry, 'refused', problem)
    expect((await readRowOn(device, 'users', 1))?.waiting?.state).toBe('refused')
    await forgetRefused(db, entry.intent, 2_000, () => crypto.randomUUID())
    expect(await readRowOn(device, 'users', 1)).toMatchObject({ row: { title: 0 }, waiting: null })
  })

  it('a made row is there under its intent, and still found by it when it has an id', async () => {
    const { db, device } = await withRows(aUser(1))
    const body = { name: 'Made here', email: 'made@acme.example', title: 0 }
    const made = await enqueue(
      db,
      aDraft({ endpoint: 'createUser', target: null, action: 'create', input: { body }, versioned: false }),
    )
    const rows = async () => (await readListOn(device, list, firstPage)).rows.map(({ row }) => row.id)
    expect(await rows()).toEqual([`~${made.intent}`, 1])
    const [sent] = await claim(db, claiming())
    await accept(db, sent as OutboxEntry, accepted({ row: aUser(42, { name: 'Made here' }) }))
    expect(await rows()).toEqual([42, 1])
    expect((await readRowOn(device, 'users', `~${made.intent}`))?.row.id).toBe(42)
  })

  it('a change made before the row had its id lies over the row once it has', async () => {
    const { db, device } = await withRows(aUser(1))
    const body = { name: 'Made here', email: 'made@acme.example', title: 0 }
    const made = await enqueue(
      db,
      aDraft({ endpoint: 'createUser', target: null, action: 'create', input: { body }, versioned: false }),
    )
    await enqueue(db, aDraft({ target: `~${made.intent}` }))
    const [sent] = await claim(db, claiming())
    await accept(db, sent as OutboxEntry, accepted({ row: aUser(42) }))
    expect(await readRowOn(device, 'users', 42)).toMatchObject({ row: { id: 42, title: 1 } })
  })
})

describe('after signing out', () => {
  it('nothing is claimed, and what waits stays', async () => {
    const { db, device } = await withRows(aUser(1))
    await enqueue(db, aDraft())
    await markSignedOut(device)
    expect(await claim(db, claiming())).toEqual([])
    expect(await db.outbox.count()).toBe(1)
    expect(await db.table('users').count()).toBe(0)
  })

  it('an answer on its way is still recorded, but leaves no row behind', async () => {
    const { db, device } = await withRows(aUser(1))
    await enqueue(db, aDraft())
    const [sent] = await claim(db, claiming())
    await markSignedOut(device)
    await accept(db, sent as OutboxEntry, accepted({ row: aUser(1, { row_version: 2 }) }))
    expect(await db.outbox.count()).toBe(0)
    expect(await db.table('users').count()).toBe(0)
  })
})
