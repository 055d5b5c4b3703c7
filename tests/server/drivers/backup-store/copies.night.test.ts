/** Copies in a second database, over PostgreSQL and over the embedded engine. */
import * as fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { engineConnections, serverConnections } from '#server/drivers/backup-store/copies/connections.ts'
import { copyTarget } from '#server/drivers/backup-store/copies/target.ts'
import type { CopyTarget } from '#server/drivers/backup-store/driver.ts'
import type { DataPiece } from '#server/drivers/hosting/driver.ts'
import { dataPieces, piecesOf, shopPieces, ungrouped } from '#tests/support/hosting/data-pieces.ts'
import { startBareEngine } from '#tests/support/server/database.ts'
import { isNight, nightly } from '#tests/support/runner/nightly.ts'
import { asSuperuser } from '#tests/support/server/postgres.ts'

interface TargetUnderTest {
  target: CopyTarget
  /** As people do with their own tools. */
  query: (text: string) => Promise<unknown[]>
  end: () => Promise<void>
}

async function embeddedTarget(): Promise<TargetUnderTest> {
  const engine = await startBareEngine()
  const connections = engineConnections(
    async () => ({ pool: engine.pool, close: async () => undefined }),
    async () => true,
  )
  return {
    target: copyTarget(connections),
    query: async (text) => (await engine.pool.query(text)).rows,
    async end() {
      await connections.close()
      await engine.close()
    },
  }
}

async function serverTarget(): Promise<TargetUnderTest> {
  const url = inject('postgresUrl') ?? ''
  const name = `copies_${randomUUID().slice(0, 8)}`
  await asSuperuser(url, 'postgres', [`create database ${name}`])
  const target = copyTarget(serverConnections(`${url}/${name}`, () => undefined))
  const client = new Client({ connectionString: `${url}/${name}` })
  await client.connect()
  return {
    target,
    query: async (text) => (await client.query(text)).rows,
    async end() {
      await client.end()
      await target.close()
      await asSuperuser(url, 'postgres', [`drop database ${name} with (force)`])
    },
  }
}

const targets = [
  { name: 'embedded', make: embeddedTarget, isHere: true },
  { name: 'PostgreSQL', make: serverTarget, isHere: (inject('postgresUrl') ?? null) !== null },
]

describe.each(targets.filter(({ isHere }) => isHere))('copies in a second database ($name)', ({ make }) => {
  let the: TargetUnderTest
  let target: CopyTarget
  beforeAll(async () => {
    the = await make()
    target = the.target
  })
  afterAll(() => the.end())
  const read = (place: string) => Array.fromAsync(target.read(place))

  it('gives back exactly the pieces, whatever they hold', async () => {
    await fc.assert(
      fc.asyncProperty(dataPieces, async (pieces) => {
        await target.write('copy_any', piecesOf(pieces))
        expect(ungrouped(await read('copy_any'))).toEqual(ungrouped(pieces))
      }),
      { numRuns: isNight ? 60 : 20 },
    )
  }, 60_000)

  it('has the rows of a table in the order in which they came, in groups of at most a thousand', async () => {
    const pieces = shopPieces(2_500)
    const { bytes } = await target.write('copy_shop', piecesOf(pieces))
    expect(bytes).toBeGreaterThan(50_000)
    const back = await read('copy_shop')
    expect(ungrouped(back)).toEqual(ungrouped(pieces))
    const groups = back.flatMap((piece) => (piece.kind === 'rows' ? [piece.rows.length] : []))
    expect(Math.max(...groups)).toBeLessThanOrEqual(1_000)
    expect(groups.length).toBeLessThan(10)
  })

  it('can be read by people: typed columns, the same names, a key', async () => {
    await target.write('copy_plain', piecesOf(shopPieces(3)))
    expect(await the.query('select sum(price)::float8 as sum, max(code) as code from copy_plain.items')).toEqual([
      { sum: 0.75, code: 'item-3' },
    ])
    expect(
      await the.query(`select column_name, data_type from information_schema.columns
        where table_schema = 'copy_plain' and table_name = 'items' order by ordinal_position`),
    ).toEqual([
      { column_name: 'id', data_type: 'bigint' },
      { column_name: 'code', data_type: 'text' },
      { column_name: 'price', data_type: 'double precision' },
      { column_name: 'note', data_type: 'text' },
      { column_name: 'portal_row', data_type: 'bigint' },
    ])
    expect(
      await the.query(`select pg_get_constraintdef(oid) as key from pg_constraint
        where contype = 'p' and conrelid = 'copy_plain.items'::regclass`),
    ).toEqual([{ key: 'PRIMARY KEY (id)' }])
  })

  it('takes keys that PostgreSQL cannot have, without the key', async () => {
    const pieces: DataPiece[] = [
      { kind: 'table', name: 'long', columns: [{ name: 'k', type: 'text', notNull: true, key: 1 }], statement: '' },
      { kind: 'rows', rows: [[randomText(20_000)], ['short']] },
      { kind: 'table', name: 'gap', columns: [{ name: 'k', type: 'text', notNull: false, key: 1 }], statement: '' },
      { kind: 'rows', rows: [[null], [null]] },
      { kind: 'end', statements: [] },
    ]
    await target.write('copy_keys', piecesOf(pieces))
    expect(ungrouped(await read('copy_keys'))).toEqual(ungrouped(pieces))
  })

  it('is the old one or the new one: an error in the middle changes nothing, and is handed on', async () => {
    await target.write('copy_kept', piecesOf(shopPieces(5)))
    const before = await read('copy_kept')
    for (const after of [1, 3, 30]) {
      const broken = target.write('copy_kept', failing(shopPieces(4_000), after))
      await expect(broken).rejects.toThrow('the host is gone')
      expect(await read('copy_kept')).toEqual(before)
    }
    await expect(target.write('copy_new', failing(shopPieces(10), 1))).rejects.toThrow('the host is gone')
    expect(await target.list('copy_')).not.toContain('copy_new')
    expect(await the.query(`select nspname from pg_namespace where nspname like 'draft%'`)).toEqual([])
    await target.write('copy_kept', piecesOf(shopPieces(7)))
    expect(ungrouped(await read('copy_kept'))).toEqual(ungrouped(shopPieces(7)))
  })

  it('refuses values of another type than their column, and rows without a table', async () => {
    const columns = [{ name: 'n', type: 'integer' as const, notNull: false, key: 0 }]
    const head: DataPiece = { kind: 'table', name: 't', columns, statement: '' }
    for (const value of ['text', 1.5, 2 ** 60, new Uint8Array([1])]) {
      const pieces: DataPiece[] = [head, { kind: 'rows', rows: [[value]] }]
      await expect(target.write('copy_odd', piecesOf(pieces))).rejects.toMatchObject({ fault: 'damaged' })
    }
    for (const rows of [[[1, 2]], [[]]])
      await expect(target.write('copy_odd', piecesOf([head, { kind: 'rows', rows }]))).rejects.toMatchObject({
        fault: 'damaged',
      })
    const alone: DataPiece[] = [{ kind: 'rows', rows: [[1]] }]
    await expect(target.write('copy_odd', piecesOf(alone))).rejects.toMatchObject({ fault: 'damaged' })
    expect(await target.list('copy_odd')).toEqual([])
  })

  it('notices rows that went, or came, since', async () => {
    await target.write('copy_changed', piecesOf(shopPieces(5)))
    await the.query('delete from copy_changed.items where id = 3')
    await expect(read('copy_changed')).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' })
    await target.write('copy_changed', piecesOf(shopPieces(5)))
    await the.query('drop table copy_changed.items')
    await expect(read('copy_changed')).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' })
  })

  it('lists what begins so, removes again and again, and knows nothing of what is gone', async () => {
    for (const place of ['copy_l_b', 'copy_l_a', 'copy_lx']) await target.write(place, piecesOf(shopPieces(1)))
    expect(await target.list('copy_l_')).toEqual(['copy_l_a', 'copy_l_b'])
    expect(await target.list('')).toEqual(await target.list('copy_'))
    for (let time = 0; time < 2; time++) await target.remove('copy_l_a')
    expect(await target.list('copy_l_')).toEqual(['copy_l_b'])
    await expect(read('copy_l_a')).rejects.toMatchObject({ name: 'StoreError', fault: 'missing' })
  })

  it.each(['', 'public', 'pg_catalog', 'copy_', 'copy_A', 'copy_a"; drop schema public; --', `copy_${'x'.repeat(60)}`])(
    'refuses the place %j',
    async (place) => {
      const refused = { name: 'StoreError', fault: 'refused' }
      await expect(target.write(place, piecesOf(shopPieces(1)))).rejects.toMatchObject(refused)
      await expect(read(place)).rejects.toMatchObject(refused)
      await expect(target.remove(place)).rejects.toMatchObject(refused)
    },
  )

  it('lets a reader go who has had enough, and serves the next one', async () => {
    await target.write('copy_enough', piecesOf(shopPieces(3_000)))
    for await (const piece of target.read('copy_enough')) if (piece.kind === 'rows') break
    expect((await read('copy_enough')).length).toBeGreaterThan(2)
  })

  it('serves several at once, one after the other where there is one connection', async () => {
    const places = ['copy_p1', 'copy_p2', 'copy_p3', 'copy_p4']
    await Promise.all(places.map((place, at) => target.write(place, piecesOf(shopPieces(at + 300)))))
    const back = await Promise.all(places.map(read))
    expect(back.map((pieces) => ungrouped(pieces).length)).toEqual([302, 303, 304, 305])
  })
})

describe('where copies cannot go', () => {
  it('is said as a fault', async () => {
    const nobody = copyTarget(serverConnections('postgres://portal:secret@127.0.0.1:9/copies', () => undefined))
    await expect(nobody.write('copy_x', piecesOf(shopPieces(1)))).rejects.toMatchObject({ fault: 'unreachable' })
    await expect(Array.fromAsync(nobody.read('copy_x'))).rejects.toMatchObject({ fault: 'unreachable' })
    await expect(nobody.list('')).rejects.toThrow(expect.not.stringContaining('secret'))
    await nobody.close()
  })

  nightly('stops before the disk is full', async () => {
    const engine = await startBareEngine()
    let looks = 0
    const connections = engineConnections(
      async () => engine,
      async () => ++looks < 2,
    )
    const target = copyTarget(connections)
    const columns = [{ name: 'b', type: 'blob' as const, notNull: false, key: 0 }]
    const large = new Uint8Array(300_000)
    const pieces: DataPiece[] = [
      { kind: 'table', name: 't', columns, statement: '' },
      ...Array.from({ length: 8 }, (): DataPiece => ({ kind: 'rows', rows: [[large]] })),
    ]
    await expect(target.write('copy_large', piecesOf(pieces))).rejects.toMatchObject({ fault: 'no_room' })
    expect(looks).toBe(2)
    expect(await target.list('')).toEqual([])
    await connections.close()
  })

  it('starts an engine when it is needed, lets it go after a rest, and starts it again', async () => {
    let [started, closed] = [0, 0]
    const client = { release: () => undefined, query: async () => ({ rows: [['copy_a']] }) } as never
    const connections = engineConnections(
      async () => {
        started++
        return { pool: { connect: async () => client } as never, close: async () => void closed++ }
      },
      async () => true,
      { restMs: 20 },
    )
    const target = copyTarget(connections)
    expect(started).toBe(0)
    await Promise.all([target.list(''), target.list('')])
    expect([started, closed]).toEqual([1, 0])
    await expect.poll(() => closed).toBe(1)
    await target.list('')
    expect([started, closed]).toEqual([2, 1])
    await connections.close()
    expect(closed).toBe(2)
  })

  it('tries again with the next one where the engine could not start', async () => {
    let tries = 0
    const connections = engineConnections(
      async () => {
        if (++tries === 1) throw new Error('no')
        return { pool: { connect: () => Promise.reject(new Error('still no')) } as never, close: async () => undefined }
      },
      async () => true,
    )
    const target = copyTarget(connections)
    await expect(target.list('')).rejects.toMatchObject({ fault: 'unreachable', cause: { message: 'no' } })
    await expect(target.list('')).rejects.toMatchObject({ fault: 'unreachable', cause: { message: 'still no' } })
    await connections.close()
  })
})

async function* failing(pieces: readonly DataPiece[], after: number): AsyncGenerator<DataPiece> {
  yield* pieces.slice(0, after)
  throw new Error('the host is gone')
}

/** Of which nothing can be made shorter. */
const randomText = (length: number) =>
  Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join('')
