/** Reads and writes the data of an instance in PostgreSQL as pieces. */
import type { ClientBase } from 'pg'
import {
  type DataColumn,
  type DataPiece,
  type DataValue,
  HostingError,
} from '#server/drivers/hosting/hosting-driver.ts'
import {
  buildCounterStatements,
  buildDataSchema,
  dataSchema,
  lockForOpening,
  unlockAfterOpening,
} from '#demo/sample-instance/storage/postgres-schema.ts'
import { numberTypes } from '#demo/sample-instance/storage/postgres-store.ts'
import { readSampleTables, type SampleTables, type TablePiece } from '#demo/sample-instance/storage/sample-tables.ts'

const rowsPerPiece = 500

/** Reads a consistent snapshot. `client` must not be in a transaction. */
export async function* readPostgresData(client: ClientBase): AsyncGenerator<DataPiece> {
  const { tables, endStatements } = readSampleTables()
  // Another task may replace the data, which renames its schema. So all tables are opened before that.
  await lockForOpening(client)
  await client.query('begin isolation level repeatable read read only')
  for (const table of tables) await client.query(buildCursorStatement(table))
  await unlockAfterOpening(client)
  for (const table of tables) {
    yield table
    yield* readRows(client, table)
  }
  await client.query('commit')
  yield { kind: 'end', statements: endStatements }
}

const listNames = (columns: readonly DataColumn[]) => columns.map(({ name }) => name).join(', ')

/** Rows are ordered by their key, independent of the language of the database. */
function buildCursorStatement({ name, columns }: TablePiece): string {
  const keys = columns.filter(({ key }) => key > 0).toSorted((a, b) => a.key - b.key)
  const order = keys.map((column) => (column.type === 'text' ? `${column.name} collate "C"` : column.name))
  return `declare ${name}_rows cursor for select ${listNames(columns)} from ${dataSchema}.${name} order by ${order.join(', ')}`
}

async function* readRows(client: ClientBase, { name }: TablePiece): AsyncGenerator<DataPiece> {
  const text = `fetch ${rowsPerPiece} from ${name}_rows`
  for (;;) {
    const { rows } = await client.query<DataValue[]>({ text, rowMode: 'array', types: numberTypes })
    if (rows.length === 0) return
    yield { kind: 'rows', rows }
    if (rows.length < rowsPerPiece) return
  }
}

const createBadDataError = (message: string) => new HostingError('bad_data', message)

/**
 * Creates the schema and writes the rows. Must run in a transaction, which the caller commits. Throws HostingError `bad_data`, errors of
 * PostgreSQL and errors of `pieces`.
 */
export async function writePostgresData(
  client: ClientBase,
  schema: string,
  pieces: AsyncIterable<DataPiece>,
): Promise<void> {
  await client.query(buildDataSchema(schema))
  // Rows may refer to rows of later tables.
  await client.query('set constraints all deferred')
  const sampleTables = readSampleTables()
  const missingTables = new Map(sampleTables.tables.map((table) => [table.name, table]))
  let currentTable: TablePiece | null = null
  let hasEnded = false
  for await (const piece of pieces) {
    if (hasEnded) throw createBadDataError('the data continues after its end mark')
    if (piece.kind === 'table') {
      currentTable = requireSampleTable(missingTables.get(piece.name), piece)
      missingTables.delete(piece.name)
    } else if (piece.kind === 'rows') await insertRows(client, schema, currentTable, piece.rows)
    else {
      requireEndStatements(sampleTables, piece.statements)
      hasEnded = true
    }
  }
  if (!hasEnded) throw createBadDataError('the end mark of the data is missing')
  for (const name of missingTables.keys()) throw createBadDataError(`the table ${name} is missing`)
  await client.query(buildCounterStatements(schema))
  await client.query('set constraints all immediate')
}

function requireSampleTable(table: TablePiece | undefined, { name, columns }: TablePiece): TablePiece {
  if (!table) throw createBadDataError(`the table ${name} exists twice or is not a table of this program`)
  if (JSON.stringify(table.columns) === JSON.stringify(columns)) return table
  throw createBadDataError(`the table ${name} does not have the columns of this program`)
}

function requireEndStatements({ endStatements }: SampleTables, statements: readonly string[]): void {
  const unknownStatement = statements.find((statement) => !endStatements.includes(statement))
  if (unknownStatement !== undefined) throw createBadDataError('a statement is not one of this program')
}

const columnTypes: Partial<Record<DataColumn['type'], string>> = { integer: 'bigint', text: 'text' }

async function insertRows(
  client: ClientBase,
  schema: string,
  table: TablePiece | null,
  rows: readonly (readonly DataValue[])[],
): Promise<void> {
  if (!table) throw createBadDataError('the first rows come before their table')
  const { name, columns } = table
  const records = rows.map((row) => {
    if (row.length !== columns.length)
      throw createBadDataError('a row does not have a value for each column of its table')
    return Object.fromEntries(columns.map((column, index) => [column.name, toJsonValue(row[index], column)]))
  })
  const types = columns.map((column) => `${column.name} ${columnTypes[column.type]}`).join(', ')
  await client.query(
    `insert into ${schema}.${name} (${listNames(columns)})
     select ${listNames(columns)} from jsonb_to_recordset($1::jsonb) as records (${types})`,
    [JSON.stringify(records)],
  )
}

/** Integers are passed as text, so that large ones stay exact. */
function toJsonValue(value: DataValue | undefined, { name, type }: DataColumn): string | null {
  if (value === null) return null
  if (type === 'integer' && (typeof value === 'bigint' || Number.isSafeInteger(value))) return String(value)
  if (type === 'text' && typeof value === 'string') return value.toWellFormed()
  throw createBadDataError(`a value of the column ${name} is not of the type ${type}`)
}
