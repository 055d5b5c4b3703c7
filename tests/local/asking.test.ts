import { liveQuery } from 'dexie'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { describe, expect, it } from 'vitest'
import type { Entry, UserDatabase } from '#local/database.ts'
import { openDevice } from '#local/device.ts'
import { enqueue } from '#local/drafts.ts'
import { type Asking, readTogether } from '#local/asking.ts'
import { strictly } from '#local/storing.ts'
import { aDraft, company, keptDevice } from '#tests/support/kept.ts'

/** What a screen would show: each answer of a live query, until `stop`. */
function watch<T>(query: () => Promise<T>) {
  const seen: T[] = []
  const watching = liveQuery(query).subscribe((answer) => void seen.push(answer))
  return { seen, stop: () => watching.unsubscribe() }
}

const users = (db: UserDatabase) => db.outbox.where('table').equals('users')

describe('live queries hear of what was stored past Dexie', () => {
  it.each([
    ['by count', async (db: UserDatabase) => await db.outbox.count()],
    ['by an index', async (db: UserDatabase) => (await users(db).toArray()).length],
    [
      'by two columns',
      async (db: UserDatabase) => (await db.outbox.where('[lane+seq]').above(['', 0]).toArray()).length,
    ],
    ['by order', async (db: UserDatabase) => (await db.outbox.orderBy('seq').primaryKeys()).length],
  ])('%s', async (_, query) => {
    const { db } = await keptDevice()
    const screen = watch(() => query(db))
    await expect.poll(() => screen.seen).toEqual([0])
    await enqueue(db, aDraft({ target: 1 }))
    await expect.poll(() => screen.seen.at(-1)).toBe(1)
    screen.stop()
  })

  it('of one row, when another takes its place', async () => {
    const { db } = await keptDevice()
    const entry = await enqueue(db, aDraft({ target: 1 }))
    const screen = watch(async () => (await db.outbox.get(entry.intent))?.state)
    await expect.poll(() => screen.seen).toEqual(['waiting'])
    await strictly(db, ['outbox'], async (ask) => ask.put(db.outbox, { ...entry, state: 'asks' }))
    await expect.poll(() => screen.seen.at(-1)).toBe('asks')
    screen.stop()
  })

  it('and not of other tables', async () => {
    const { db } = await keptDevice()
    const screen = watch(() => db.receipts.count())
    await expect.poll(() => screen.seen).toEqual([0])
    await enqueue(db, aDraft({ target: 1 }))
    const heard = watch(() => db.outbox.count())
    await expect.poll(() => heard.seen).toEqual([1])
    expect(screen.seen).toEqual([0])
    screen.stop()
    heard.stop()
  })
})

describe('live queries hear of what they read past Dexie', () => {
  type Ask = (ask: Asking, db: UserDatabase) => Promise<unknown>
  const first: Ask = async (ask, db) => (await ask.rowsUnder(db.outbox, ['first']))[0]?.state ?? null
  const ofUsers: Ask = async (ask, db) =>
    (await ask.rowsBetween(db.outbox, ['users', 'users'], 'table')).map(({ state }) => state)
  const every: Ask = async (ask, db) => (await ask.everyRow(db.outbox)).map(({ state }) => state)
  const span: Ask = async (ask, db) => (await ask.rowsBetween(db.outbox, ['a', 'g'])).map(({ state }) => state)

  const come = (db: UserDatabase) => enqueue(db, aDraft({ intent: 'first', target: 1 }))
  const change = (db: UserDatabase) => db.outbox.update('first', { state: 'asks' })
  const go = (db: UserDatabase) => db.outbox.delete('first')

  it.each([
    ['one row', first, [null, 'waiting', 'asks', null]],
    ['rows by an index', ofUsers, [[], ['waiting'], ['asks'], []]],
    ['every row', every, [[], ['waiting'], ['asks'], []]],
    ['rows by their keys', span, [[], ['waiting'], ['asks'], []]],
  ])('%s', async (_, query, expected) => {
    const { db } = await keptDevice()
    const screen = watch(async () => await readTogether(db, ['outbox'], (ask) => query(ask, db)))
    await expect.poll(() => screen.seen.at(-1)).toEqual(expected[0])
    for (const [at, act] of [come, change, go].entries()) {
      await act(db)
      await expect.poll(() => screen.seen.at(-1)).toEqual(expected[at + 1])
    }
    screen.stop()
  })

  it('after which they go on hearing', async () => {
    const { db } = await keptDevice()
    const screen = watch(async () => {
      await readTogether(db, ['meta'], (ask) => ask.rowsUnder(db.meta, ['gate']))
      await Promise.resolve()
      return await db.outbox.count()
    })
    await expect.poll(() => screen.seen).toEqual([0])
    await come(db)
    await expect.poll(() => screen.seen.at(-1)).toBe(1)
    screen.stop()
  })

  it('and of nothing else', async () => {
    const { db } = await keptDevice()
    const screen = watch(async () => await readTogether(db, ['outbox'], (ask) => first(ask, db)))
    await expect.poll(() => screen.seen).toEqual([null])
    await enqueue(db, aDraft({ target: 2 }))
    await come(db)
    await expect.poll(() => screen.seen).toEqual([null, 'waiting'])
    screen.stop()
  })
})

describe('nothing is stored', () => {
  const stored = async (db: UserDatabase) => (await db.outbox.toArray()).map(({ intent }) => intent)
  const kept = async () => {
    const { db } = await keptDevice()
    return { db, entry: await enqueue(db, aDraft({ target: 1 })) }
  }

  it('where whoever acts fails, and says so', async () => {
    const { db, entry } = await kept()
    const acted = strictly(db, ['outbox'], async (ask) => {
      ask.put(db.outbox, { ...entry, intent: 'second' })
      await ask.rowsUnder(db.outbox, ['second'])
      throw new Error('changed its mind')
    })
    await expect(acted).rejects.toThrow('changed its mind')
    expect(await stored(db)).toEqual([entry.intent])
  })

  it('where one of several cannot be stored', async () => {
    const { db, entry } = await kept()
    const acted = strictly(db, ['outbox'], async (ask) => {
      ask.put(db.outbox, { ...entry, intent: 'second' })
      ask.put(db.outbox, { ...entry, intent: 'third', asked: { body: () => {} } } as Entry)
      ask.commit()
    })
    await expect(acted).rejects.toThrow()
    expect(await stored(db)).toEqual([entry.intent])
  })
})

it('a connection that the browser closed is opened again, for all who find it so', async () => {
  const { db } = await keptDevice()
  db.backendDB().close()
  const reads = [1, 2, 3].map(() => readTogether(db, ['outbox'], (ask) => ask.everyRow(db.outbox)))
  const write = enqueue(db, aDraft({ target: 1 }))
  expect((await Promise.all(reads)).every((rows) => rows.length <= 1)).toBe(true)
  await write
  expect(await db.outbox.count()).toBe(1)
})

it('a database that is being made is waited for', async () => {
  const db = openDevice({ indexedDB: new IDBFactory(), IDBKeyRange }).of({ companyId: company, userId: 1 })
  const opened = db.open()
  // Its connection is there, and still changes the database.
  while (!db.isOpen()) await new Promise((soon) => setImmediate(soon))
  expect(await readTogether(db, ['outbox'], (ask) => ask.everyRow(db.outbox))).toEqual([])
  await opened
})
