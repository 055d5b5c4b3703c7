import { StoreError } from '#server/drivers/file-store/store-error.ts'
import { quoteIdentifier } from '#server/drivers/backup-store/copies/names.ts'
import type { CopySession } from '#server/drivers/backup-store/copies/session.ts'
import { toTextExpression, parseValue } from '#server/drivers/backup-store/copies/values.ts'
import { piecesTable, rowColumn } from '#server/drivers/backup-store/copies/writer.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'

const maxRows = 1_000
/** Maximum bytes of one fetch. The number of rows is estimated from the size of the table and its row count. */
const maxBytes = 8 * 2 ** 20

/** Reads a copy back as the original pieces. `schemaName` must have passed `requireSchemaName`. */
export async function* readCopy(session: CopySession, schemaName: string): AsyncGenerator<DataPiece> {
  const schema = quoteIdentifier(schemaName)
  const [existingSchema] = await session.query('select 1 from pg_namespace where nspname = $1', [schemaName])
  if (!existingSchema) throw new StoreError('missing', `The copy ${schemaName} does not exist.`)
  const pieces = await session.query(
    `select piece, table_name, column_names, row_count from ${schema}.${piecesTable} order by position`,
  )
  for (const [text, table, columns, count] of pieces) {
    const piece = JSON.parse(text ?? '') as DataPiece
    yield piece
    if (piece.kind !== 'table') continue
    const names = JSON.parse(columns ?? '[]') as string[]
    yield* readRows(session, `${schema}.${quoteIdentifier(table ?? '')}`, piece, names, Number(count))
  }
}

async function* readRows(
  session: CopySession,
  table: string,
  { name, columns }: DataPiece & { kind: 'table' },
  names: string[],
  count: number,
): AsyncGenerator<DataPiece> {
  const [size] = await session.query('select pg_total_relation_size($1::regclass)', [table])
  const batchSize = Math.max(1, Math.min(maxRows, Math.floor((maxBytes * count) / (Number(size?.[0]) || 1))))
  const expressions = columns.map(({ type }, index) => toTextExpression(quoteIdentifier(names[index] ?? ''), type))
  await session.query(
    `declare portal_rows no scroll cursor for select ${[...expressions, 'null'].join(', ')} from ${table} order by ${rowColumn}`,
  )
  let readCount = 0
  for (;;) {
    const rows = await session.query(`fetch forward ${batchSize} from portal_rows`)
    if (rows.length === 0) break
    readCount += rows.length
    yield {
      kind: 'rows',
      rows: rows.map((row) => columns.map(({ type }, index) => parseValue(row[index] ?? null, type))),
    }
  }
  await session.query('close portal_rows')
  if (readCount !== count)
    throw new StoreError('damaged', `Table ${name} of the copy does not have the number of rows that was written.`)
}
