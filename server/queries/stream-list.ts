/** A list as NDJSON, in pieces, so that a slow reader holds no connection. */
import * as z from 'zod/mini'
import type { AppContext } from '#server/context/context.ts'
import { shapeRows } from '#server/context/response-schema.ts'
import { asReader, type ListHandler, newestChange, type Reading, sinceOf } from '#server/queries/execute.ts'
import { reportLeftOutRows } from '#server/queries/report-left-out-rows.ts'
import type { Changes } from '#server/http/route-handler.ts'

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
    return { lines: changedLines(app, reading, found), asOf, change: found.upto }
  }
  const change = await asReader(app, reading, (context, input) => newestChange(context, reading.handler, input))
  const first = await piece(app, reading, 0)
  return { lines: allLines(app, reading, first, change), asOf, change }
}

const piece = (app: AppContext, reading: ListReading, after: number) =>
  asReader(app, reading, (context, input) => reading.handler.list.rowsAfter(context, input, after, pieceRows))

async function* allLines(app: AppContext, reading: ListReading, first: { id: number }[], upto: number) {
  let count = 0
  let leftOut = 0
  for (let rows = first; rows.length > 0; rows = await piece(app, reading, rows.at(-1)?.id ?? 0)) {
    const lines = rowLines(app, reading, rows)
    count += rows.length - lines.leftOut
    leftOut += lines.leftOut
    yield lines.text
    if (rows.length < pieceRows) break
  }
  yield lastLine(upto, count, leftOut)
}

async function* changedLines(app: AppContext, reading: ListReading, { changed, gone, upto }: Changes) {
  const lines = rowLines(app, reading, changed)
  yield lines.text + gone.map((id) => line({ gone: id })).join('')
  yield lastLine(upto, changed.length - lines.leftOut, lines.leftOut)
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`

/** `count`: rows that were sent. `left_out`: rows that are there besides and could not be. */
const lastLine = (upto: number, count: number, leftOut: number) =>
  line({ upto, count, ...(leftOut > 0 ? { left_out: leftOut } : {}) })

function rowLines(app: AppContext, reading: ListReading, rows: readonly { id: number }[]) {
  const { list, name } = reading.handler.endpoint
  if (!list) throw new Error(`${name} fills no table`)
  const { body, leftOut } = shapeRows(z.array(list.row), rows, name)
  reportLeftOutRows(app, reading, leftOut)
  return { text: (body as unknown[]).map((row) => line({ row })).join(''), leftOut: leftOut.length }
}
