/**
 * Data that is to be put in, built into a new file from its pieces. They come from outside: what they state is done in that file alone,
 * and of statements only what makes a table, an index, a trigger or a view.
 */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite'
import { runBounded } from '#server/drivers/bounded-process.ts'
import { type DataColumn, type DataPiece, type DataValue, HostingError } from '#server/drivers/hosting/driver.ts'
import { syncFolder } from '#server/drivers/hosting/local/atomic-file.ts'
import { faultOfData, quoted } from '#server/drivers/hosting/local/data-file.ts'

type Table = Extract<DataPiece, { kind: 'table' }>

/** Of a check that goes through all of it. */
const limits = { dataKb: 1_500_000, cpuSeconds: 900, wallMs: 1_800_000, bytesOut: 10_000, heapMb: 128 }

/** Whole and on the disk when it resolves. Throws HostingError `bad_data`, `no_room`, and what the pieces throw. */
export async function buildData(path: string, pieces: AsyncIterable<DataPiece>): Promise<void> {
  const store = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: true })
  try {
    store.exec('pragma journal_mode = off; pragma synchronous = off; pragma trusted_schema = off')
    const builder = builderOf(store)
    for await (const piece of pieces) doing(() => builder.take(piece))
    doing(() => builder.finish())
  } finally {
    store.close()
  }
  if (!existsSync(path)) throw new HostingError('no_instance', 'it was taken away meanwhile')
  await check(path)
  sync(path)
}

/** Of what we do ourselves; what the pieces throw is theirs. */
function doing(work: () => void): void {
  try {
    work()
  } catch (error) {
    throw faultOfData(error)
  }
}

const bad = (message: string) => new HostingError('bad_data', message)

interface Filling {
  columns: readonly DataColumn[]
  insert: StatementSync
}

function builderOf(store: DatabaseSync): { take(piece: DataPiece): void; finish(): void } {
  let filling: Filling | null = null
  let isOver = false
  store.exec('begin')

  return {
    take(piece) {
      if (isOver) throw bad('there is more after its end')
      if (piece.kind === 'table') filling = begin(piece)
      else if (piece.kind === 'rows') fill(filling, piece.rows)
      else end(piece.statements)
    },
    finish() {
      if (!isOver) throw bad('its end is missing')
      store.exec('commit')
    },
  }

  function begin({ name, columns, statement }: Table): Filling {
    if (/^sqlite_/i.test(name)) throw bad(`a table cannot be named ${name}`)
    const found = store.prepare("select 1 from sqlite_schema where type = 'table' and name = ?")
    if (found.get(name)) throw bad(`the table ${name} is there twice`)
    // A key is an index too.
    carryOut(store, statement, [constants.SQLITE_CREATE_TABLE, constants.SQLITE_CREATE_INDEX])
    if (!found.get(name)) throw bad(`its statement does not make the table ${name}`)
    const names = columns.map((column) => quoted(column.name)).join(', ')
    const places = columns.map(() => '?').join(', ')
    return { columns, insert: store.prepare(`insert into ${quoted(name)} (${names}) values (${places})`) }
  }

  function fill(table: Filling | null, rows: readonly (readonly DataValue[])[]): void {
    if (!table) throw bad('there are rows before the first table')
    for (const row of rows) {
      if (row.length !== table.columns.length) throw bad('a row has not as many values as its table has columns')
      table.insert.run(...row.map((value, at) => bound(value, table.columns[at])))
    }
  }

  function end(statements: readonly string[]): void {
    isOver = true
    for (const statement of statements) if (!setCounter(store, statement)) carryOut(store, statement, later)
  }
}

const later = [constants.SQLITE_CREATE_INDEX, constants.SQLITE_CREATE_TRIGGER, constants.SQLITE_CREATE_VIEW]

/** A whole number is written as one: SQLite is told of a double otherwise. */
function bound(value: DataValue, column: DataColumn | undefined): DataValue {
  const isValue = value === null || value instanceof Uint8Array || ['string', 'number', 'bigint'].includes(typeof value)
  if (!isValue) throw bad('there is a value of no type')
  return column?.type === 'integer' && Number.isSafeInteger(value) ? BigInt(value as number) : value
}

/** What making something asks for beside it: its entry in the schema, and what its expressions read. */
const always = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_REINDEX,
])
const schemaTable = 'sqlite_master'

/** One statement, which makes one thing of those kinds and nothing else. */
function carryOut(store: DatabaseSync, statement: string, makes: readonly number[]): void {
  store.setAuthorizer((action, of, _, database) => {
    const isOfSchema = of === schemaTable
    const isWrite = action === constants.SQLITE_INSERT || action === constants.SQLITE_UPDATE
    if (database !== 'main' && database !== null) return constants.SQLITE_DENY
    if (makes.includes(action) || (always.has(action) && (!isWrite || isOfSchema))) return constants.SQLITE_OK
    return constants.SQLITE_DENY
  })
  try {
    const prepared = store.prepare(statement)
    if (withoutEnd(prepared.sourceSQL) !== withoutEnd(statement)) throw bad('there is more than one statement in one')
    if (!/^create\b/i.test(statement.trimStart())) throw bad('a statement makes nothing')
    prepared.run()
  } finally {
    store.setAuthorizer(null)
  }
}

/** Without the blanks and the semicolons behind it. */
function withoutEnd(statement: string): string {
  let end = statement.length
  while (end > 0 && /[\s;]/.test(statement.charAt(end - 1))) end -= 1
  return statement.slice(0, end)
}

const counterShape = /^update sqlite_sequence set seq = (-?\d{1,19}) where name = '((?:[^']|'')*)'$/

/** False: it is another statement. */
function setCounter(store: DatabaseSync, statement: string): boolean {
  const [, seq, name] = counterShape.exec(statement) ?? []
  if (seq === undefined || name === undefined) return false
  const table = name.replaceAll("''", "'")
  store.prepare('delete from sqlite_sequence where name = ?').run(table)
  store.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, BigInt(seq))
  return true
}

/** In a process of its own: it takes long where there is much, and works out what the data says is to be checked. */
async function check(path: string): Promise<void> {
  const said = await runBounded(new URL('./check-data-process.ts', import.meta.url), [path], new Uint8Array(), limits)
  const words = said?.toString() ?? 'it cannot be checked within its limits'
  if (words !== 'ok') throw bad(words)
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(path))
}
