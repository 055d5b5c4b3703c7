/**
 * Tests reading the data of an instance as pieces and writing the pieces to a new file. All SQLite data is restored unchanged, and hostile
 * pieces create nothing.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { buildData } from '#server/drivers/hosting/local/build-data.ts'
import { openDraftFolder, removeStaleDrafts } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import { writeInstanceRecord } from '#server/drivers/hosting/local/instances/files.ts'
import { readInstanceData } from '#server/drivers/hosting/local/read-data.ts'

describe('instance data', () => {
  let instanceDir = ''
  beforeEach(() => {
    instanceDir = mkdtempSync(join(tmpdir(), 'instance-data-'))
    mkdirSync(join(instanceDir, 'data'))
    writeInstanceRecord(instanceDir, record)
  })
  afterEach(() => rmSync(instanceDir, { recursive: true, force: true }))

  const file = () => join(instanceDir, 'data', 'instance.db')
  const readPieces = () => Array.fromAsync(readInstanceData(instanceDir))
  let buildCount = 0
  const buildDatabase = async (pieces: readonly DataPiece[]) => {
    const path = join(instanceDir, `built-${(buildCount += 1)}.db`)
    await buildData(path, streamPieces(pieces))
    return path
  }
  const executeSql = (sql: string) => {
    const store = new DatabaseSync(file(), { enableForeignKeyConstraints: true })
    store.exec(sql)
    return store
  }

  it('is restored unchanged: values of every type, keys, counters, indexes, views and triggers', async () => {
    const store = executeSql(`
      pragma journal_mode = wal;
      create table strict1 (id integer primary key autoincrement, t text, r real, b blob, i int not null, a any) strict;
      create table "odd ""name" (k text primary key, "v;w" text collate nocase, n as (length(k)) stored) without rowid;
      create table loose (a, b varchar(3), c decimal(5,2), rowid integer);
      create table child (of integer references strict1 (id), x integer check (x > 0));
      create unique index strict1_t on strict1 (t) where t is not null;
      create view shown as select id, t from strict1;
      create table log (line text);
      create trigger told after insert on strict1 begin insert into log values (new.t); end;
      insert into strict1 values (7, 'a', 1.0, x'00ff', 9007199254740993, 5), (9, null, null, null, -1, 5.0), (12, 'z', -0.5, x'', 0, 'five');
      delete from strict1 where id = 12;
      insert into "odd ""name" (k, "v;w") values ('b', 'two' || char(0) || char(10) || '雨'), ('a', null);
      insert into loose values (1, '12345', 1.10, 4), (1.0, 2, 'x', 4), (x'01', null, null, null);
      insert into child values (7, 1), (null, 2);`)
    const pieces = await readPieces()
    store.close()
    expect(pieces.filter(({ kind }) => kind === 'table').map((piece) => 'name' in piece && piece.name)).toEqual([
      'child',
      'log',
      'loose',
      'odd "name',
      'strict1',
    ])
    const path = await buildDatabase(pieces)
    rmSync(file())
    rmSync(`${file()}-wal`, { force: true })
    rmSync(`${file()}-shm`, { force: true })
    const copy = new DatabaseSync(path)
    expect(copy.prepare('select typeof(a) as type from strict1 order by id').all()).toMatchObject([
      { type: 'integer' },
      { type: 'real' },
    ])
    expect(copy.prepare('select line from log').all()).toMatchObject([{ line: 'a' }, { line: null }, { line: 'z' }])
    copy.exec(`vacuum into '${file()}'`)
    const { lastInsertRowid } = copy.prepare('insert into strict1 (i) values (1)').run()
    expect(lastInsertRowid).toBe(13)
    copy.close()
    expect(await readPieces()).toEqual(pieces)
  })

  it('is read as of one point in time, in pieces of a thousand rows, while the instance runs', async () => {
    const store = executeSql('pragma journal_mode = wal; create table t (id integer primary key, x text) strict;')
    const insert = store.prepare('insert into t (x) values (?)')
    store.exec('begin')
    for (let index = 0; index < 2500; index++) insert.run(`row ${index}`)
    store.exec('commit')
    const counts: number[] = []
    for await (const piece of readInstanceData(instanceDir)) {
      store.exec("delete from t where id % 2 = 0; insert into t (x) values ('late')")
      store.exec('pragma wal_checkpoint(truncate)')
      if (piece.kind === 'rows') counts.push(piece.rows.length)
    }
    store.close()
    expect(counts).toEqual([1000, 1000, 500])
    expect(readdirSync(join(instanceDir, 'drafts'))).toEqual([])
  })

  it('is reported as missing or damaged', async () => {
    await expect(readPieces()).rejects.toMatchObject({ fault: 'no_instance' })
    const store = executeSql('create table t (x)')
    store.exec('insert into t values (zeroblob(20000))')
    store.close()
    expect(await readPieces()).toHaveLength(3)
    writeFileSync(file(), 'no database at all, but long enough to be taken for one'.repeat(100))
    await expect(readPieces()).rejects.toMatchObject({ fault: 'bad_data' })
    expect(readdirSync(join(instanceDir, 'drafts'))).toEqual([])
  })

  const id = { name: 'id', type: 'integer', notNull: false, key: 1 } as const
  const createTablePiece = (statement = 'create table t (id integer primary key)', name = 't'): DataPiece => ({
    kind: 'table',
    name,
    columns: [id],
    statement,
  })
  const createRowsPiece = (...values: unknown[]): DataPiece => ({
    kind: 'rows',
    rows: values.map((value) => [value]) as never,
  })
  const createEndPiece = (...statements: string[]): DataPiece => ({ kind: 'end', statements })
  const outsidePath = join(tmpdir(), 'hostile-data.db')

  it.each<[string, DataPiece[]]>([
    [
      'a table statement that attaches a database',
      [createTablePiece(`attach '${outsidePath}' as other`), createEndPiece()],
    ],
    [
      'a table statement with a second statement',
      [createTablePiece(`create table t (id); attach '${outsidePath}' as other`), createEndPiece()],
    ],
    ['a table created from a query', [createTablePiece('create table t as select 1 as id'), createEndPiece()]],
    ['a table statement for another name', [createTablePiece('create table u (id)'), createEndPiece()]],
    ['the same table twice', [createTablePiece(), createTablePiece(), createEndPiece()]],
    ['a temporary table', [createTablePiece('create temp table t (id)'), createEndPiece()]],
    ['a virtual table', [createTablePiece('create virtual table t using fts5(id)'), createEndPiece()]],
    ['a view instead of a table', [createTablePiece('create view t as select 1 as id'), createEndPiece()]],
    ['a system table', [createTablePiece('create table sqlite_stat1 (id)', 'sqlite_stat1'), createEndPiece()]],
    ['a statement that is not SQL', [createTablePiece('no sql at all'), createEndPiece()]],
    ['rows before a table', [createRowsPiece(1), createTablePiece(), createEndPiece()]],
    ['rows with another number of columns', [createTablePiece(), { kind: 'rows', rows: [[1, 2]] }, createEndPiece()]],
    ['the same row twice', [createTablePiece(), createRowsPiece(1, 1), createEndPiece()]],
    ['a value of an unsupported type', [createTablePiece(), createRowsPiece(true), createEndPiece()]],
    [
      'a row with a dangling reference',
      [
        createTablePiece('create table t (id integer primary key references t (id))'),
        createRowsPiece(1),
        createTablePiece('create table u (id integer references t (id))', 'u'),
        createRowsPiece(2),
        createEndPiece(),
      ],
    ],
    [
      'a row that violates a check of its table',
      [createTablePiece('create table t (id integer check (id > 5))'), createRowsPiece(1), createEndPiece()],
    ],
    [
      'a final statement that attaches a database',
      [createTablePiece(), createEndPiece(`attach '${outsidePath}' as other`)],
    ],
    ['a final statement that writes rows', [createTablePiece(), createEndPiece('insert into t values (1)')]],
    ['a final statement that changes a setting', [createTablePiece(), createEndPiece('pragma writable_schema = on')]],
    ['a final statement that creates a file', [createTablePiece(), createEndPiece(`vacuum into '${outsidePath}'`)]],
    ['a final statement that drops a table', [createTablePiece(), createEndPiece('drop table t')]],
    ['a final statement that creates a table', [createTablePiece(), createEndPiece('create table u (id)')]],
    ['a final statement that commits', [createTablePiece(), createEndPiece('commit')]],
    ['an index on a missing table', [createTablePiece(), createEndPiece('create index i on nothing (id)')]],
    [
      'a counter for a table without a counter',
      [createTablePiece(), createEndPiece("update sqlite_sequence set seq = 5 where name = 't'")],
    ],
    ['a missing end', [createTablePiece(), createRowsPiece(1)]],
    ['two ends', [createTablePiece(), createEndPiece(), createEndPiece()]],
    ['no pieces', []],
  ])('is rejected: %s', async (_, pieces) => {
    await expect(buildDatabase(pieces)).rejects.toMatchObject({ name: 'HostingError', fault: 'bad_data' })
    expect(existsSync(outsidePath)).toBe(false)
  })

  it('is restored without running its triggers', async () => {
    const path = await buildDatabase([
      createTablePiece(),
      createRowsPiece(1),
      createEndPiece('create trigger t1 after insert on t begin delete from t; end'),
    ])
    const store = new DatabaseSync(path)
    expect(store.prepare('select count(*) as count from t').get()).toMatchObject({ count: 1 })
    store.close()
  })

  it('removeStaleDrafts removes the drafts of killed processes, and keeps drafts in use', () => {
    const ownDraft = openDraftFolder(instanceDir)
    for (const name of ['999999-0123456789abcdef-0123456789abcdef', `${process.pid}-0123456789abcdef-0123456789abcdef`])
      mkdirSync(join(instanceDir, 'drafts', name))
    removeStaleDrafts(instanceDir)
    expect(readdirSync(join(instanceDir, 'drafts'))).toEqual([ownDraft.name])
    ownDraft.remove()
  })
})

const record = {
  format: 1,
  serviceId: 1,
  code: 'acmetrade',
  name: '',
  created: true,
  hadData: false,
  hasPassword: false,
  wanted: 'stopped',
  fence: 1,
  config: { memoryMb: 0, tasks: 1 },
  apps: [],
  active: null,
} as const

async function* streamPieces(pieces: readonly DataPiece[]): AsyncGenerator<DataPiece> {
  yield* pieces
}
