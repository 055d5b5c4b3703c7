/** Reads a copy of the data, so that the instance's file is not locked while somebody reads, which may take hours. */
import { createWriteStream, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { backup, DatabaseSync } from 'node:sqlite'
import {
  type DataColumn,
  type DataPiece,
  type DataValue,
  HostingError,
} from '#server/drivers/hosting/hosting-driver.ts'
import { toHostingError, isFileMissing, quoteIdentifier } from '#server/drivers/hosting/local/data-file.ts'
import { spawnProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { openDraftFolder } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import { getDataFile, readInstanceRecord } from '#server/drivers/hosting/local/instances/files.ts'

const busyMs = 5000
/** Number of pages per step: all of them, because a copy in several steps restarts after each write in between. */
const pagesPerStep = 2 ** 31 - 1
const maxPiece = { rows: 1000, size: 1_000_000 }

/** Throws HostingError `no_instance`, `no_room`, `unreachable` or `bad_data`. */
export async function* readInstanceData(instanceFolder: string): AsyncGenerator<DataPiece> {
  const draftFolder = openDraftFolder(instanceFolder)
  try {
    await copyData(instanceFolder, join(draftFolder.path, 'instance.db'))
    yield* readDataFile(join(draftFolder.path, 'instance.db'))
  } catch (error) {
    throw toHostingError(error)
  } finally {
    draftFolder.remove()
  }
}

/** Nobody may write the file at the same time. Throws HostingError, `bad_data` if the file is damaged. */
export async function* readDataFile(path: string): AsyncGenerator<DataPiece> {
  const store = new DatabaseSync(path, { readOnly: true })
  try {
    yield* readPieces(store)
  } catch (error) {
    throw toHostingError(error)
  } finally {
    store.close()
  }
}

/** Copies the data. Retries if the data folder is replaced while it is opened. */
async function copyData(instanceFolder: string, copyPath: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const record = readInstanceRecord(instanceFolder)
    const path = record && getDataFile(instanceFolder, record)
    if (!path || !existsSync(path)) throw new HostingError('no_instance', 'the service has no data')
    try {
      return await (record.user === undefined
        ? copyDataFile(path, copyPath)
        : copyAsUser(record.user, dirname(path), copyPath))
    } catch (error) {
      if (!isFileMissing(error) || tries === 3) throw error
    }
  }
}

/** Copies the file while others read and write it. Throws errors of SQLite. */
export async function copyDataFile(path: string, copyPath: string): Promise<void> {
  const store = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
  try {
    await backup(store, copyPath, { rate: pagesPerStep })
  } finally {
    store.close()
  }
}

/** Runs the copy in a process of the instance's user. That user cannot access the created file. */
async function copyAsUser(user: number, folder: string, copyPath: string): Promise<void> {
  const program = { path: fileURLToPath(new URL('./copy-data-process.ts', import.meta.url)), env: {} }
  const child = spawnProgram(program, { args: [folder], limitMb: 128, stdio: ['ignore', 'pipe', 'pipe'], user })
  let errorOutput = ''
  child.stderr?.on('data', (chunk: Buffer) => void (errorOutput = (errorOutput + chunk.toString()).slice(-2000)))
  const exitPromise = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const { stdout } = child
  if (!stdout) throw new Error('the process has no standard output')
  const [code] = await Promise.all([exitPromise, pipeline(stdout, createWriteStream(copyPath, { mode: 0o600 }))])
  if (code === 0) return
  // The process was killed because its instance was stopped, or the process could not start.
  if (code === null || errorOutput === '') throw new HostingError('unreachable', 'could not copy the data')
  const [errcode = ''] = errorOutput.split(' ', 1)
  throw Object.assign(
    new Error(errorOutput.slice(errcode.length + 1)),
    errcode === '' ? {} : { errcode: Number(errcode) },
  )
}

interface ListedTable {
  name: string
  type: string
  /** 1 for a table without rowid. */
  wr: number
  strict: number
}

export function* readPieces(store: DatabaseSync): Generator<DataPiece> {
  const listedTables = store
    .prepare("select * from pragma_table_list where schema = 'main'")
    .all() as unknown as ListedTable[]
  const unsupportedTable = listedTables.find(({ type }) => type === 'virtual')
  if (unsupportedTable)
    throw new HostingError(
      'bad_data',
      `the table ${unsupportedTable.name} is a virtual table, which cannot be backed up`,
    )
  const tables = listedTables.filter(({ name, type }) => type === 'table' && !name.startsWith('sqlite_'))
  for (const table of tables.toSorted((a, b) => (a.name < b.name ? -1 : 1))) yield* readTable(store, table)
  yield { kind: 'end', statements: readEndStatements(store) }
}

function* readTable(store: DatabaseSync, table: ListedTable): Generator<DataPiece> {
  const { name } = table
  const columns = readColumns(store, table)
  const { sql } = store.prepare("select sql from sqlite_schema where type = 'table' and name = ?").get(name) ?? {}
  yield { kind: 'table', name, columns, statement: String(sql) }
  const names = columns.map((column) => quoteIdentifier(column.name)).join(', ')
  const rowQuery = store.prepare(
    `select ${names} from ${quoteIdentifier(name)} order by ${getRowOrder(table, columns)}`,
  )
  rowQuery.setReadBigInts(true)
  rowQuery.setReturnArrays(true)
  let rows: DataValue[][] = []
  let size = 0
  for (const values of rowQuery.iterate() as unknown as Iterable<DataValue[]>) {
    const row = values.map((value, index) => toDataValue(value, columns[index]))
    rows.push(row)
    size += measureRow(row)
    if (rows.length < maxPiece.rows && size < maxPiece.size) continue
    yield { kind: 'rows', rows }
    rows = []
    size = 0
  }
  if (rows.length > 0) yield { kind: 'rows', rows }
}

interface ListedColumn {
  name: string
  type: string
  notnull: number
  pk: number
  /** 0 for an ordinary column; other values mean a generated or hidden column. */
  hidden: number
}

const columnTypes: Record<string, DataColumn['type']> = {
  INT: 'integer',
  INTEGER: 'integer',
  REAL: 'real',
  TEXT: 'text',
  BLOB: 'blob',
}

function readColumns(store: DatabaseSync, { name, strict }: ListedTable): DataColumn[] {
  const listedColumns = store.prepare('select * from pragma_table_xinfo(?)').all(name) as unknown as ListedColumn[]
  return listedColumns
    .filter(({ hidden }) => hidden === 0)
    .map((column) => ({
      name: column.name,
      // If a table is not strict, SQLite does not enforce its column types.
      type: (strict === 1 && columnTypes[column.type.toUpperCase()]) || 'any',
      notNull: column.notnull === 1,
      key: column.pk,
    }))
}

/** Returns an order of the rows that does not depend on any index. */
function getRowOrder({ wr }: ListedTable, columns: readonly DataColumn[]): string {
  const keys = columns.filter(({ key }) => key > 0).toSorted((a, b) => a.key - b.key)
  if (wr === 1) return keys.map(({ name }) => quoteIdentifier(name)).join(', ')
  const usedNames = new Set(columns.map(({ name }) => name.toLowerCase()))
  const freeName = ['_rowid_', 'rowid', 'oid'].find((name) => !usedNames.has(name))
  return freeName ?? columns.map(({ name }) => quoteIdentifier(name)).join(', ')
}

/** In an `any` column integers stay bigint, so that 5 and 5.0 remain different. */
function toDataValue(value: DataValue, column: DataColumn | undefined): DataValue {
  if (typeof value !== 'bigint' || column?.type === 'any') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

const measureRow = (row: readonly DataValue[]) =>
  row.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  )

/** Returns the statements to run after all rows are inserted: indexes, views, triggers and the state of each counter. */
function readEndStatements(store: DatabaseSync): string[] {
  const statements = store
    .prepare(
      "select sql from sqlite_schema where type in ('index', 'view', 'trigger') and sql is not null order by rowid",
    )
    .all()
    .map(({ sql }) => String(sql))
  const hasCounters = store.prepare("select 1 from sqlite_schema where name = 'sqlite_sequence'").get() !== undefined
  if (!hasCounters) return statements
  const counterQuery = store.prepare('select name, seq from sqlite_sequence order by name')
  counterQuery.setReadBigInts(true)
  return [...statements, ...counterQuery.all().map(({ name, seq }) => buildCounterStatement(String(name), String(seq)))]
}

const buildCounterStatement = (name: string, seq: string) =>
  `update sqlite_sequence set seq = ${seq} where name = '${name.replaceAll("'", "''")}'`
