/**
 * The data of an instance, read from a copy that is made of it at one moment: whoever takes the pieces may take hours, and the
 * instance's own file is held for none of them.
 */
import { createWriteStream, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { backup, DatabaseSync } from 'node:sqlite'
import { type DataColumn, type DataPiece, type DataValue, HostingError } from '#server/drivers/hosting/driver.ts'
import { faultOfData, isFileGone, quoted } from '#server/drivers/hosting/local/data-file.ts'
import { spawnProgram } from '#server/drivers/hosting/local/instances/spawn-program.ts'
import { openDraft } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import { dataFile, readInstance } from '#server/drivers/hosting/local/instances/files.ts'

const busyMs = 5000
/** All of them in one go: a copy in parts begins anew with each write in between. */
const pages = 2 ** 31 - 1
/** Of one piece. */
const most = { rows: 1000, size: 1_000_000 }

/** `place`: the instance's folder. Throws HostingError `no_instance`, `no_room`, `bad_data`. */
export async function* readInstanceData(place: string): AsyncGenerator<DataPiece> {
  const draft = openDraft(place)
  try {
    await copyData(place, join(draft.path, 'instance.db'))
    yield* readDataFile(join(draft.path, 'instance.db'))
  } catch (error) {
    throw faultOfData(error)
  } finally {
    draft.remove()
  }
}

/** Of a file that nobody writes to meanwhile. Throws HostingError `bad_data`. */
export async function* readDataFile(path: string): AsyncGenerator<DataPiece> {
  const store = new DatabaseSync(path, { readOnly: true })
  try {
    yield* piecesOf(store)
  } catch (error) {
    throw faultOfData(error)
  } finally {
    store.close()
  }
}

/** Which file it is can change while it is opened. */
async function copyData(place: string, copy: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const record = readInstance(place)
    const path = record && dataFile(place, record)
    if (!path || !existsSync(path)) throw new HostingError('no_instance', 'it has no data')
    try {
      return await (record.user === undefined ? copyFile(path, copy) : copyAsUser(record.user, dirname(path), copy))
    } catch (error) {
      if (!isFileGone(error) || tries === 3) throw error
    }
  }
}

async function copyFile(path: string, copy: string): Promise<void> {
  const store = new DatabaseSync(path, { readOnly: true, timeout: busyMs })
  try {
    await backup(store, copy, { rate: pages })
  } finally {
    store.close()
  }
}

/** By a process of the instance's user, which has no way to our copy. */
async function copyAsUser(user: number, folder: string, copy: string): Promise<void> {
  const program = { path: fileURLToPath(new URL('./copy-data-process.ts', import.meta.url)), env: {} }
  const child = spawnProgram(program, { args: [folder], limitMb: 128, stdio: ['ignore', 'pipe', 'pipe'], user })
  let words = ''
  child.stderr?.on('data', (part: Buffer) => void (words = (words + part.toString()).slice(-2000)))
  const ended = new Promise<number | null>((done, failed) => {
    child.on('error', failed)
    child.on('close', done)
  })
  const { stdout } = child
  if (!stdout) throw new Error('a process without standard output')
  const [code] = await Promise.all([ended, pipeline(stdout, createWriteStream(copy, { mode: 0o600 }))])
  if (code === 0) return
  // Ended by the stop of the instance, or before it began.
  if (code === null || words === '') throw new HostingError('unreachable', 'the data could not be copied')
  const [errcode = ''] = words.split(' ', 1)
  throw Object.assign(new Error(words.slice(errcode.length + 1)), errcode === '' ? {} : { errcode: Number(errcode) })
}

interface Listed {
  name: string
  type: string
  /** It has no row numbers. */
  wr: number
  strict: number
}

function* piecesOf(store: DatabaseSync): Generator<DataPiece> {
  const all = store.prepare("select * from pragma_table_list where schema = 'main'").all() as unknown as Listed[]
  const unkept = all.find(({ type }) => type === 'virtual')
  if (unkept) throw new HostingError('bad_data', `the table ${unkept.name} is of a kind that is not kept`)
  const tables = all.filter(({ name, type }) => type === 'table' && !name.startsWith('sqlite_'))
  for (const table of tables.toSorted((a, b) => (a.name < b.name ? -1 : 1))) yield* tableOf(store, table)
  yield { kind: 'end', statements: statementsOf(store) }
}

function* tableOf(store: DatabaseSync, table: Listed): Generator<DataPiece> {
  const { name } = table
  const columns = columnsOf(store, table)
  const { sql } = store.prepare("select sql from sqlite_schema where type = 'table' and name = ?").get(name) ?? {}
  yield { kind: 'table', name, columns, statement: String(sql) }
  const names = columns.map((column) => quoted(column.name)).join(', ')
  const found = store.prepare(`select ${names} from ${quoted(name)} order by ${orderOf(table, columns)}`)
  found.setReadBigInts(true)
  found.setReturnArrays(true)
  let rows: DataValue[][] = []
  let size = 0
  for (const values of found.iterate() as unknown as Iterable<DataValue[]>) {
    const row = values.map((value, at) => valueOf(value, columns[at]))
    rows.push(row)
    size += sizeOf(row)
    if (rows.length < most.rows && size < most.size) continue
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
  /** 0: an ordinary one; others are worked out from those. */
  hidden: number
}

const types: Record<string, DataColumn['type']> = {
  INT: 'integer',
  INTEGER: 'integer',
  REAL: 'real',
  TEXT: 'text',
  BLOB: 'blob',
}

function columnsOf(store: DatabaseSync, { name, strict }: Listed): DataColumn[] {
  const found = store.prepare('select * from pragma_table_xinfo(?)').all(name) as unknown as ListedColumn[]
  return found
    .filter(({ hidden }) => hidden === 0)
    .map((column) => ({
      name: column.name,
      // Where a table is not strict, what its columns are said to hold is a wish.
      type: (strict === 1 && types[column.type.toUpperCase()]) || 'any',
      notNull: column.notnull === 1,
      key: column.pk,
    }))
}

/** The same for the same rows, whatever index there is. */
function orderOf({ wr }: Listed, columns: readonly DataColumn[]): string {
  const keys = columns.filter(({ key }) => key > 0).toSorted((a, b) => a.key - b.key)
  if (wr === 1) return keys.map(({ name }) => quoted(name)).join(', ')
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()))
  const free = ['_rowid_', 'rowid', 'oid'].find((name) => !taken.has(name))
  return free ?? columns.map(({ name }) => quoted(name)).join(', ')
}

/** In a column of any type a whole number is a bigint, so that 5 and 5.0 are told apart. */
function valueOf(value: DataValue, column: DataColumn | undefined): DataValue {
  if (typeof value !== 'bigint' || column?.type === 'any') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

const sizeOf = (row: readonly DataValue[]) =>
  row.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  )

/** What is made once the rows are in, and how far each counter is. */
function statementsOf(store: DatabaseSync): string[] {
  const made = store
    .prepare(
      "select sql from sqlite_schema where type in ('index', 'view', 'trigger') and sql is not null order by rowid",
    )
    .all()
    .map(({ sql }) => String(sql))
  const hasCounters = store.prepare("select 1 from sqlite_schema where name = 'sqlite_sequence'").get() !== undefined
  if (!hasCounters) return made
  const counters = store.prepare('select name, seq from sqlite_sequence order by name')
  counters.setReadBigInts(true)
  return [...made, ...counters.all().map(({ name, seq }) => counterStatement(String(name), String(seq)))]
}

const counterStatement = (name: string, seq: string) =>
  `update sqlite_sequence set seq = ${seq} where name = '${name.replaceAll("'", "''")}'`
