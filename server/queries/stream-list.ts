import * as z from 'zod/mini'
import type { AppContext } from '#server/context/context.ts'
import { applyRowSchema } from '#server/context/response-schema.ts'
import { readInTransaction, type ListHandler, type ReadRequest, parseSince } from '#server/queries/execute-read.ts'
import { reportLeftOutRows } from '#server/queries/report-left-out-rows.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import type { ListChanges } from '#server/http/route-handler.ts'

const rowsPerPiece = 500

interface ListStream {
  lines: AsyncIterable<string>
  asOf: number
  change: number
}

type ListReadRequest = ReadRequest<ListHandler>

/**
 * Returns `{row}` and `{gone}` lines, and a last line with the change number for the next request. A stream without the last line is
 * incomplete. All rows are read in pieces, each in its own transaction, so that a slow reader does not occupy a database connection. Rows
 * that change in between have a change number above `upto`.
 */
export async function streamList(app: AppContext, request: ListReadRequest): Promise<ListStream> {
  const asOf = app.clock()
  const since = parseSince(request.input)
  if (typeof since === 'number') {
    const changes = await readInTransaction(app, request, (context, input) =>
      request.handler.list.readChanges(context, input, since),
    )
    return { lines: streamChanges(app, request, changes), asOf, change: changes.upto }
  }
  const change = await readInTransaction(app, request, (context, input) =>
    request.handler.list.readLatestChange(context, input),
  )
  // A stream is complete up to its change number, so a list without one is not streamed.
  if (change === null) throw new ProblemError('GONE')
  const firstRows = await readPiece(app, request, 0)
  return { lines: streamAllRows(app, request, firstRows, change), asOf, change }
}

const readPiece = (app: AppContext, request: ListReadRequest, after: number) =>
  readInTransaction(app, request, (context, input) =>
    request.handler.list.readRowsAfter(context, input, after, rowsPerPiece),
  )

async function* streamAllRows(
  app: AppContext,
  request: ListReadRequest,
  firstRows: { id: number }[],
  maxChange: number,
) {
  let count = 0
  let leftOutCount = 0
  for (let rows = firstRows; rows.length > 0; rows = await readPiece(app, request, rows.at(-1)?.id ?? 0)) {
    const lines = formatRows(app, request, rows)
    count += rows.length - lines.leftOutCount
    leftOutCount += lines.leftOutCount
    yield lines.text
    if (rows.length < rowsPerPiece) break
  }
  yield formatLastLine(maxChange, count, leftOutCount)
}

async function* streamChanges(
  app: AppContext,
  request: ListReadRequest,
  { changed, gone: deletedIds, upto: maxChange }: ListChanges,
) {
  const lines = formatRows(app, request, changed)
  yield lines.text + deletedIds.map((id) => formatLine({ gone: id })).join('')
  yield formatLastLine(maxChange, changed.length - lines.leftOutCount, lines.leftOutCount)
}

const formatLine = (value: unknown) => `${JSON.stringify(value)}\n`

/** Formats the last line. `count` is the number of sent rows, `left_out` the number of rows that did not match their schema. */
const formatLastLine = (maxChange: number, count: number, leftOutCount: number) =>
  formatLine({ upto: maxChange, count, ...(leftOutCount > 0 ? { left_out: leftOutCount } : {}) })

function formatRows(app: AppContext, request: ListReadRequest, rows: readonly { id: number }[]) {
  const { list, name } = request.handler.endpoint
  if (!list) throw new Error(`${name} is not the call of a list`)
  const { body, leftOutRows } = applyRowSchema(z.array(list.row), rows, name)
  reportLeftOutRows(app, request, leftOutRows)
  return { text: (body as unknown[]).map((row) => formatLine({ row })).join(''), leftOutCount: leftOutRows.length }
}
