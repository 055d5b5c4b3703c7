/** Gives the pieces of a copy back, as they were when it was made. */
import { StoreError } from '#server/drivers/backup-store/driver.ts'
import { quoted } from '#server/drivers/backup-store/copies/names.ts'
import type { Session } from '#server/drivers/backup-store/copies/session.ts'
import { asText, fromText } from '#server/drivers/backup-store/copies/values.ts'
import { piecesTable, rowColumn } from '#server/drivers/backup-store/copies/writer.ts'
import type { DataPiece } from '#server/drivers/hosting/driver.ts'

const maxRows = 1_000
/** Of what is fetched at once, by what the table takes and how many rows it has. */
const maxBytes = 8 * 2 ** 20

/** `place` is one of a copy. */
export async function* readCopy(session: Session, place: string): AsyncGenerator<DataPiece> {
  const schema = quoted(place)
  const [found] = await session.ask('select 1 from pg_namespace where nspname = $1', [place])
  if (!found) throw new StoreError('missing', `There is no copy ${place}.`)
  const pieces = await session.ask(
    `select piece, table_name, column_names, row_count from ${schema}.${piecesTable} order by position`,
  )
  for (const [text, table, columns, count] of pieces) {
    const piece = JSON.parse(text ?? '') as DataPiece
    yield piece
    if (piece.kind !== 'table') continue
    const names = JSON.parse(columns ?? '[]') as string[]
    yield* readRows(session, `${schema}.${quoted(table ?? '')}`, piece, names, Number(count))
  }
}

async function* readRows(
  session: Session,
  table: string,
  { name, columns }: DataPiece & { kind: 'table' },
  names: string[],
  count: number,
): AsyncGenerator<DataPiece> {
  const [size] = await session.ask('select pg_total_relation_size($1::regclass)', [table])
  const atATime = Math.max(1, Math.min(maxRows, Math.floor((maxBytes * count) / (Number(size?.[0]) || 1))))
  const asked = columns.map(({ type }, at) => asText(quoted(names[at] ?? ''), type))
  await session.ask(
    `declare portal_rows no scroll cursor for select ${[...asked, 'null'].join(', ')} from ${table} order by ${rowColumn}`,
  )
  let seen = 0
  for (;;) {
    const rows = await session.ask(`fetch forward ${atATime} from portal_rows`)
    if (rows.length === 0) break
    seen += rows.length
    yield { kind: 'rows', rows: rows.map((row) => columns.map(({ type }, at) => fromText(row[at] ?? null, type))) }
  }
  await session.ask('close portal_rows')
  if (seen !== count) throw new StoreError('damaged', `Table ${name} of the copy has other rows than were written.`)
}
