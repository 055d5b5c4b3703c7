/**
 * Builds a database file from untrusted pieces. Their statements run only in this file; only `create` statements and counters are allowed.
 */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite'
import { runBounded } from '#server/drivers/bounded-process.ts'
import {
  type DataColumn,
  type DataPiece,
  type DataValue,
  HostingError,
} from '#server/drivers/hosting/hosting-driver.ts'
import { syncFolder } from '#server/drivers/hosting/atomic-file.ts'
import { toHostingError, quoteIdentifier } from '#server/drivers/hosting/local/data-file.ts'

type TablePiece = Extract<DataPiece, { kind: 'table' }>

const limits = { dataKb: 1_500_000, cpuSeconds: 900, wallMs: 1_800_000, maxOutputBytes: 10_000, heapMb: 128 }

/**
 * The file is complete and durable when this returns. Throws HostingError `bad_data`, `no_room` or `no_instance`, and errors of `pieces`.
 */
export async function buildData(path: string, pieces: AsyncIterable<DataPiece>): Promise<void> {
  const store = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: true })
  try {
    store.exec('pragma journal_mode = off; pragma synchronous = off; pragma trusted_schema = off')
    const dataBuilder = createDataBuilder(store)
    for await (const piece of pieces) withHostingErrors(() => dataBuilder.add(piece))
    withHostingErrors(() => dataBuilder.finish())
  } finally {
    store.close()
  }
  if (!existsSync(path)) throw new HostingError('no_instance', 'the instance was erased during the restore')
  await checkIntegrity(path)
  syncFile(path)
}

function withHostingErrors(work: () => void): void {
  try {
    work()
  } catch (error) {
    throw toHostingError(error)
  }
}

const createBadDataError = (message: string) => new HostingError('bad_data', message)

interface TableInsert {
  columns: readonly DataColumn[]
  insert: StatementSync
}

function createDataBuilder(store: DatabaseSync): { add(piece: DataPiece): void; finish(): void } {
  let currentTable: TableInsert | null = null
  let hasEnded = false
  store.exec('begin')

  return {
    add(piece) {
      if (hasEnded) throw createBadDataError('the data continues after its end mark')
      if (piece.kind === 'table') currentTable = beginTable(piece)
      else if (piece.kind === 'rows') insertRows(currentTable, piece.rows)
      else runEndStatements(piece.statements)
    },
    finish() {
      if (!hasEnded) throw createBadDataError('the end mark of the data is missing')
      store.exec('commit')
    },
  }

  function beginTable({ name, columns, statement }: TablePiece): TableInsert {
    if (/^sqlite_/i.test(name)) throw createBadDataError(`the table name ${name} is not allowed`)
    const tableQuery = store.prepare("select 1 from sqlite_schema where type = 'table' and name = ?")
    if (tableQuery.get(name)) throw createBadDataError(`the table ${name} exists twice`)
    // A primary key also creates an index.
    runStatement(store, statement, [constants.SQLITE_CREATE_TABLE, constants.SQLITE_CREATE_INDEX])
    if (!tableQuery.get(name)) throw createBadDataError(`the statement does not create the table ${name}`)
    const names = columns.map((column) => quoteIdentifier(column.name)).join(', ')
    const placeholders = columns.map(() => '?').join(', ')
    return {
      columns,
      insert: store.prepare(`insert into ${quoteIdentifier(name)} (${names}) values (${placeholders})`),
    }
  }

  function insertRows(table: TableInsert | null, rows: readonly (readonly DataValue[])[]): void {
    if (!table) throw createBadDataError('the first rows come before their table')
    for (const row of rows) {
      if (row.length !== table.columns.length)
        throw createBadDataError('a row does not have a value for each column of its table')
      table.insert.run(...row.map((value, index) => toBindable(value, table.columns[index])))
    }
  }

  function runEndStatements(statements: readonly string[]): void {
    hasEnded = true
    for (const statement of statements)
      if (!setCounter(store, statement)) runStatement(store, statement, actionsAfterRows)
  }
}

const actionsAfterRows = [constants.SQLITE_CREATE_INDEX, constants.SQLITE_CREATE_TRIGGER, constants.SQLITE_CREATE_VIEW]

/** Returns integers as bigint, because SQLite would store a JavaScript number as a double. */
function toBindable(value: DataValue, column: DataColumn | undefined): DataValue {
  const isValue = value === null || value instanceof Uint8Array || ['string', 'number', 'bigint'].includes(typeof value)
  if (!isValue) throw createBadDataError('a value has an unknown type')
  return column?.type === 'integer' && Number.isSafeInteger(value) ? BigInt(value as number) : value
}

/** Actions that every `create` statement needs: it adds an entry to the schema, and its expressions may read and call functions. */
const alwaysAllowedActions = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_REINDEX,
])
const schemaTable = 'sqlite_master'

/** Executes one statement, which may create one object of the allowed kinds and nothing else. */
function runStatement(store: DatabaseSync, statement: string, allowedActions: readonly number[]): void {
  store.setAuthorizer((action, target, _, database) => {
    const isSchemaTable = target === schemaTable
    const isWrite = action === constants.SQLITE_INSERT || action === constants.SQLITE_UPDATE
    if (database !== 'main' && database !== null) return constants.SQLITE_DENY
    if (allowedActions.includes(action) || (alwaysAllowedActions.has(action) && (!isWrite || isSchemaTable)))
      return constants.SQLITE_OK
    return constants.SQLITE_DENY
  })
  try {
    const preparedStatement = store.prepare(statement)
    if (trimStatement(preparedStatement.sourceSQL) !== trimStatement(statement))
      throw createBadDataError('a text contains more than one statement')
    if (!/^create\b/i.test(statement.trimStart())) throw createBadDataError('a statement is not a create statement')
    preparedStatement.run()
  } finally {
    store.setAuthorizer(null)
  }
}

function trimStatement(statement: string): string {
  let end = statement.length
  while (end > 0 && /[\s;]/.test(statement.charAt(end - 1))) end -= 1
  return statement.slice(0, end)
}

const counterPattern = /^update sqlite_sequence set seq = (-?\d{1,19}) where name = '((?:[^']|'')*)'$/

/** Returns false if the statement does not set a counter. */
function setCounter(store: DatabaseSync, statement: string): boolean {
  const [, seq, name] = counterPattern.exec(statement) ?? []
  if (seq === undefined || name === undefined) return false
  const table = name.replaceAll("''", "'")
  store.prepare('delete from sqlite_sequence where name = ?').run(table)
  store.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, BigInt(seq))
  return true
}

/** Runs in a separate process: it takes long for large data, and evaluates expressions of untrusted data. */
async function checkIntegrity(path: string): Promise<void> {
  const output = await runBounded(new URL('./check-data-process.ts', import.meta.url), [path], new Uint8Array(), limits)
  const message = output?.toString() ?? 'the check exceeded its time or memory limit'
  if (message !== 'ok') throw createBadDataError(message)
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(path))
}
