import * as fc from 'fast-check'
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ServerPool } from '#server/db/postgres/server-pool.ts'
import { createServerTarget } from '#server/config/postgres-target.ts'
import {
  copyPoolLimits,
  createEngineConnections,
  createServerConnections,
} from '#server/drivers/backup-store/copies/connections.ts'
import { createCopyTarget } from '#server/drivers/backup-store/copies/target.ts'
import type { CopyTarget } from '#server/drivers/backup-store/copies/copy-target.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { dataPieces, streamPieces, buildShopPieces, ungroupRows } from '#tests/support/hosting/data-pieces.ts'
import { startBareEngine } from '#tests/support/server/database.ts'
import { isNight, nightly } from '#tests/support/runner/nightly.ts'
import { runAsSuperuser } from '#tests/support/server/postgres.ts'

interface TargetUnderTest {
  target: CopyTarget
  /** Runs SQL directly, as people do with their own tools. */
  query: (text: string) => Promise<unknown[]>
  close: () => Promise<void>
}

async function openEmbeddedTarget(): Promise<TargetUnderTest> {
  const engine = await startBareEngine()
  const connections = createEngineConnections(
    async () => ({ pool: engine.pool, close: async () => undefined }),
    async () => true,
  )
  return {
    target: createCopyTarget(connections),
    query: async (text) => (await engine.pool.query(text)).rows,
    async close() {
      await connections.close()
      await engine.close()
    },
  }
}

const createCopyPool = (url: string) =>
  new ServerPool(
    createServerTarget(url, 'portal-copies'),
    { ...copyPoolLimits, maxQueryMs: null },
    { onLost: () => undefined, onSilent: () => undefined, onUnavailable: () => undefined },
  )

async function openServerTarget(): Promise<TargetUnderTest> {
  const url = inject('postgresUrl') ?? ''
  const name = `copies_${randomUUID().slice(0, 8)}`
  await runAsSuperuser(url, 'postgres', [`create database ${name}`])
  const target = createCopyTarget(createServerConnections(createCopyPool(`${url}/${name}`)))
  const client = new Client({ connectionString: `${url}/${name}` })
  await client.connect()
  return {
    target,
    query: async (text) => (await client.query(text)).rows,
    async close() {
      await client.end()
      await target.close()
      await runAsSuperuser(url, 'postgres', [`drop database ${name} with (force)`])
    },
  }
}

const targets = [
  { name: 'embedded', openTarget: openEmbeddedTarget, isAvailable: true },
  { name: 'PostgreSQL', openTarget: openServerTarget, isAvailable: (inject('postgresUrl') ?? null) !== null },
]

describe.each(targets.filter(({ isAvailable }) => isAvailable))(
  'a copy target in a second database ($name)',
  ({ openTarget }) => {
    let fixture: TargetUnderTest
    let target: CopyTarget
    beforeAll(async () => {
      fixture = await openTarget()
      target = fixture.target
    })
    afterAll(() => fixture.close())
    const readPieces = (schema: string) => Array.fromAsync(target.read(schema))

    it('returns exactly the stored pieces, for any values', async () => {
      await fc.assert(
        fc.asyncProperty(dataPieces, async (pieces) => {
          await target.write('copy_any', streamPieces(pieces))
          expect(ungroupRows(await readPieces('copy_any'))).toEqual(ungroupRows(pieces))
        }),
        { numRuns: isNight ? 60 : 20 },
      )
    }, 60_000)

    it('keeps the rows of a table in their order, in groups of at most a thousand', async () => {
      const pieces = buildShopPieces(2_500)
      const { bytes } = await target.write('copy_shop', streamPieces(pieces))
      expect(bytes).toBeGreaterThan(50_000)
      const storedPieces = await readPieces('copy_shop')
      expect(ungroupRows(storedPieces)).toEqual(ungroupRows(pieces))
      const groups = storedPieces.flatMap((piece) => (piece.kind === 'rows' ? [piece.rows.length] : []))
      expect(Math.max(...groups)).toBeLessThanOrEqual(1_000)
      expect(groups.length).toBeLessThan(10)
    })

    it('writes tables with typed columns, the original names and a primary key', async () => {
      await target.write('copy_plain', streamPieces(buildShopPieces(3)))
      expect(await fixture.query('select sum(price)::float8 as sum, max(code) as code from copy_plain.items')).toEqual([
        { sum: 0.75, code: 'item-3' },
      ])
      expect(
        await fixture.query(`select column_name, data_type from information_schema.columns
        where table_schema = 'copy_plain' and table_name = 'items' order by ordinal_position`),
      ).toEqual([
        { column_name: 'id', data_type: 'bigint' },
        { column_name: 'code', data_type: 'text' },
        { column_name: 'price', data_type: 'double precision' },
        { column_name: 'note', data_type: 'text' },
        { column_name: 'portal_row', data_type: 'bigint' },
      ])
      expect(
        await fixture.query(`select pg_get_constraintdef(oid) as key from pg_constraint
        where contype = 'p' and conrelid = 'copy_plain.items'::regclass`),
      ).toEqual([{ key: 'PRIMARY KEY (id)' }])
    })

    it('writes tables without their key if PostgreSQL does not support the key', async () => {
      const pieces: DataPiece[] = [
        { kind: 'table', name: 'long', columns: [{ name: 'k', type: 'text', notNull: true, key: 1 }], statement: '' },
        { kind: 'rows', rows: [[createRandomText(20_000)], ['short']] },
        { kind: 'table', name: 'gap', columns: [{ name: 'k', type: 'text', notNull: false, key: 1 }], statement: '' },
        { kind: 'rows', rows: [[null], [null]] },
        { kind: 'end', statements: [] },
      ]
      await target.write('copy_keys', streamPieces(pieces))
      expect(ungroupRows(await readPieces('copy_keys'))).toEqual(ungroupRows(pieces))
    })

    it('keeps the former copy if writing fails in the middle, and throws the error of the source', async () => {
      await target.write('copy_kept', streamPieces(buildShopPieces(5)))
      const storedPieces = await readPieces('copy_kept')
      for (const pieceCount of [1, 3, 30]) {
        const brokenWrite = target.write('copy_kept', failAfter(buildShopPieces(4_000), pieceCount))
        await expect(brokenWrite).rejects.toThrow('the host is gone')
        expect(await readPieces('copy_kept')).toEqual(storedPieces)
      }
      await expect(target.write('copy_new', failAfter(buildShopPieces(10), 1))).rejects.toThrow('the host is gone')
      expect(await target.list('copy_')).not.toContain('copy_new')
      expect(await fixture.query(`select nspname from pg_namespace where nspname like 'draft%'`)).toEqual([])
      await target.write('copy_kept', streamPieces(buildShopPieces(7)))
      expect(ungroupRows(await readPieces('copy_kept'))).toEqual(ungroupRows(buildShopPieces(7)))
    })

    it('rejects values of another type than their column, and rows without a table', async () => {
      const columns = [{ name: 'n', type: 'integer' as const, notNull: false, key: 0 }]
      const tablePiece: DataPiece = { kind: 'table', name: 't', columns, statement: '' }
      for (const value of ['text', 1.5, 2 ** 60, new Uint8Array([1])]) {
        const pieces: DataPiece[] = [tablePiece, { kind: 'rows', rows: [[value]] }]
        await expect(target.write('copy_odd', streamPieces(pieces))).rejects.toMatchObject({ fault: 'damaged' })
      }
      for (const rows of [[[1, 2]], [[]]])
        await expect(
          target.write('copy_odd', streamPieces([tablePiece, { kind: 'rows', rows }])),
        ).rejects.toMatchObject({
          fault: 'damaged',
        })
      const rowPieces: DataPiece[] = [{ kind: 'rows', rows: [[1]] }]
      await expect(target.write('copy_odd', streamPieces(rowPieces))).rejects.toMatchObject({ fault: 'damaged' })
      expect(await target.list('copy_odd')).toEqual([])
    })

    it('detects rows that were added or removed later', async () => {
      await target.write('copy_changed', streamPieces(buildShopPieces(5)))
      await fixture.query('delete from copy_changed.items where id = 3')
      await expect(readPieces('copy_changed')).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' })
      await target.write('copy_changed', streamPieces(buildShopPieces(5)))
      await fixture.query('drop table copy_changed.items')
      await expect(readPieces('copy_changed')).rejects.toMatchObject({ name: 'StoreError', fault: 'damaged' })
    })

    it('lists schemas by prefix, accepts repeated removal, and reports a removed schema as missing', async () => {
      for (const schema of ['copy_l_b', 'copy_l_a', 'copy_lx'])
        await target.write(schema, streamPieces(buildShopPieces(1)))
      expect(await target.list('copy_l_')).toEqual(['copy_l_a', 'copy_l_b'])
      expect(await target.list('')).toEqual(await target.list('copy_'))
      for (let time = 0; time < 2; time++) await target.remove('copy_l_a')
      expect(await target.list('copy_l_')).toEqual(['copy_l_b'])
      await expect(readPieces('copy_l_a')).rejects.toMatchObject({ name: 'StoreError', fault: 'missing' })
    })

    it.each([
      '',
      'public',
      'pg_catalog',
      'copy_',
      'copy_A',
      'copy_a"; drop schema public; --',
      `copy_${'x'.repeat(60)}`,
    ])('rejects the schema name %j', async (schema) => {
      const refusedError = { name: 'StoreError', fault: 'refused' }
      await expect(target.write(schema, streamPieces(buildShopPieces(1)))).rejects.toMatchObject(refusedError)
      await expect(readPieces(schema)).rejects.toMatchObject(refusedError)
      await expect(target.remove(schema)).rejects.toMatchObject(refusedError)
    })

    it('frees its connection if a reader stops early', async () => {
      await target.write('copy_enough', streamPieces(buildShopPieces(3_000)))
      for await (const piece of target.read('copy_enough')) if (piece.kind === 'rows') break
      expect((await readPieces('copy_enough')).length).toBeGreaterThan(2)
    })

    it('accepts several concurrent writes, also over a single connection', async () => {
      const schemas = ['copy_p1', 'copy_p2', 'copy_p3', 'copy_p4']
      await Promise.all(
        schemas.map((schema, index) => target.write(schema, streamPieces(buildShopPieces(index + 300)))),
      )
      const storedPieces = await Promise.all(schemas.map(readPieces))
      expect(storedPieces.map((pieces) => ungroupRows(pieces).length)).toEqual([302, 303, 304, 305])
    })
  },
)

describe('createCopyTarget and createEngineConnections', () => {
  it('report an unreachable database without its password', async () => {
    const unreachableTarget = createCopyTarget(
      createServerConnections(createCopyPool('postgres://portal:secret@127.0.0.1:9/copies')),
    )
    await expect(unreachableTarget.write('copy_x', streamPieces(buildShopPieces(1)))).rejects.toMatchObject({
      fault: 'unreachable',
    })
    await expect(Array.fromAsync(unreachableTarget.read('copy_x'))).rejects.toMatchObject({ fault: 'unreachable' })
    await expect(unreachableTarget.list('')).rejects.toThrow(expect.not.stringContaining('secret'))
    await unreachableTarget.close()
  })

  nightly('stop writing before the disk is full', async () => {
    const engine = await startBareEngine()
    let lookCount = 0
    const connections = createEngineConnections(
      async () => engine,
      async () => ++lookCount < 2,
    )
    const target = createCopyTarget(connections)
    const columns = [{ name: 'b', type: 'blob' as const, notNull: false, key: 0 }]
    const largeBytes = new Uint8Array(300_000)
    const pieces: DataPiece[] = [
      { kind: 'table', name: 't', columns, statement: '' },
      ...Array.from({ length: 8 }, (): DataPiece => ({ kind: 'rows', rows: [[largeBytes]] })),
    ]
    await expect(target.write('copy_large', streamPieces(pieces))).rejects.toMatchObject({ fault: 'no_room' })
    expect(lookCount).toBe(2)
    expect(await target.list('')).toEqual([])
    await connections.close()
  })

  it('start an engine on demand, close it when idle, and start it again', async () => {
    let [startCount, closeCount] = [0, 0]
    const client = { release: () => undefined, query: async () => ({ rows: [['copy_a']] }) } as never
    const connections = createEngineConnections(
      async () => {
        startCount++
        return { pool: { connect: async () => client } as never, close: async () => void closeCount++ }
      },
      async () => true,
      { restMs: 20 },
    )
    const target = createCopyTarget(connections)
    expect(startCount).toBe(0)
    await Promise.all([target.list(''), target.list('')])
    expect([startCount, closeCount]).toEqual([1, 0])
    await expect.poll(() => closeCount).toBe(1)
    await target.list('')
    expect([startCount, closeCount]).toEqual([2, 1])
    await connections.close()
    expect(closeCount).toBe(2)
  })

  it('try again at the next call if the engine could not start', async () => {
    let tryCount = 0
    const connections = createEngineConnections(
      async () => {
        if (++tryCount === 1) throw new Error('no')
        return { pool: { connect: () => Promise.reject(new Error('still no')) } as never, close: async () => undefined }
      },
      async () => true,
    )
    const target = createCopyTarget(connections)
    await expect(target.list('')).rejects.toMatchObject({ fault: 'unreachable', cause: { message: 'no' } })
    await expect(target.list('')).rejects.toMatchObject({ fault: 'unreachable', cause: { message: 'still no' } })
    await connections.close()
  })
})

async function* failAfter(pieces: readonly DataPiece[], pieceCount: number): AsyncGenerator<DataPiece> {
  yield* pieces.slice(0, pieceCount)
  throw new Error('the host is gone')
}

/** Returns text that cannot be compressed. */
const createRandomText = (length: number) =>
  Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join('')
