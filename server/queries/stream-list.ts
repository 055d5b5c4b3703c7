/** A list as NDJSON, in pieces, so that a slow reader holds no connection. */
import type { AppContext } from '#server/context.ts'
import { shaped } from '#server/response-schema.ts'
import { asReader, type ListHandler, newestChange, type Reading, sinceOf } from '#server/queries/execute.ts'
import type { Changes } from '#server/routes/route-handler.ts'

const pieceRows = 500

interface Stream {
  lines: AsyncIterable<string>
  asOf: number
  change: number
}

type ListReading = Reading<ListHandler>

/**
 * `{row}` and `{gone}` lines, and a last line with the number to ask with next: without it the stream was cut. Each piece is
 * a transaction of its own, so that a slow reader holds no connection; what changes in between has a number above `upto`.
 */
export async function streamList(app: AppContext, reading: ListReading): Promise<Stream> {
  const asOf = app.clock()
  const since = sinceOf(reading.input)
  if (typeof since === 'number') {
    const found = await asReader(app, reading, (context, input) => reading.handler.list.changes(context, input, since))
    return { lines: changedLines(reading, found), asOf, change: found.upto }
  }
  const change = await asReader(app, reading, (context, input) => newestChange(context, reading.handler, input))
  const first = await piece(app, reading, 0)
  return { lines: allLines(app, reading, first, change), asOf, change }
}

const piece = (app: AppContext, reading: ListReading, after: number) =>
  asReader(app, reading, (context, input) => reading.handler.list.rowsAfter(context, input, after, pieceRows))

async function* allLines(app: AppContext, reading: ListReading, first: { id: number }[], upto: number) {
  let count = 0
  for (let rows = first; rows.length > 0; rows = await piece(app, reading, rows.at(-1)?.id ?? 0)) {
    count += rows.length
    yield rows.map((row) => rowLine(reading, row)).join('')
    if (rows.length < pieceRows) break
  }
  yield line({ upto, count })
}

async function* changedLines(reading: ListReading, { changed, gone, upto }: Changes) {
  yield changed.map((row) => rowLine(reading, row)).join('') + gone.map((id) => line({ gone: id })).join('')
  yield line({ upto, count: changed.length })
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`

function rowLine({ handler }: ListReading, row: unknown): string {
  const { list, name } = handler.endpoint
  if (!list) throw new Error(`${name} fills no table`)
  return line({ row: shaped(list.row, row, name) })
}
