/** Readings: one transaction as the caller's company, the change number before the rows, nothing written. */
import type { Caller } from '#domain/access.ts'
import type { Endpoint, InputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { changeOf } from '#server/db/changes.ts'
import { findIntents } from '#server/db/ledger.ts'
import { inScope, type Word } from '#server/db/scope.ts'
import type { Answer, Context, Handle, House } from '#server/house.ts'
import type { Changes, Handler } from '#server/routes/handlers.ts'
import { etagOf, outputOf, shaped } from '#server/output.ts'
import { namedIn, withIds } from '#server/write/names.ts'
import type { Carried } from '#server/write.ts'

export interface Reading<H extends Handler = Handler> {
  handler: H
  input: InputOf<Endpoint>
  caller: Caller
  /** As in a write. */
  word: Word | null
  requestId: string
}

const contextOf = (house: House, db: Handle, { caller, requestId }: Reading): Context => ({
  db,
  house,
  caller,
  now: house.clock(),
  requestId,
  intent: null,
  ifMatch: null,
  note: changesNothing,
  nextChange: changesNothing,
  left: changesNothing,
  recall: () => null,
  // What is read is committed.
  whenDone: (learn) => learn(),
})

const changesNothing = (): never => {
  throw new Error('a reading changes nothing')
}

type Work<T> = (context: Context, input: InputOf<Endpoint>) => Promise<T>

const asReader = <T>(house: House, reading: Reading, work: Work<T>): Promise<T> =>
  inScope(
    house,
    { role: 'portal_app', companyId: reading.caller.companyId, word: reading.word },
    async (db) => work(contextOf(house, db, reading), await withNames(db, reading)),
    'reading',
  )

/** Rows may be asked for by the write that makes them, as in a write (protocol 17). */
async function withNames(db: Handle, { handler, input, caller }: Reading): Promise<InputOf<Endpoint>> {
  const named = namedIn(handler.endpoint, input)
  return named.length === 0 ? input : withIds(handler.endpoint, input, await findIntents(db, caller, named))
}

export async function read(house: House, reading: Reading): Promise<Carried> {
  const { endpoint } = reading.handler
  const asOf = house.clock()
  const { said, change } = await asReader(house, reading, async (context, input) => ({
    // Before the rows: what is committed in between comes again with the next `since`, and nothing is missed.
    change: reading.handler.is === 'list' ? await newestChange(context, reading.handler, input) : null,
    said: await ask(context, reading.handler, input),
  }))
  const body = outputOf(endpoint, said.body)
  const etag = etagOf(body)
  return {
    status: said.status ?? 200,
    headers: {
      [headers.asOf]: String(asOf),
      ...(change === null ? {} : { [headers.change]: String(change) }),
      ...(etag ? { etag } : {}),
      ...said.headers,
    },
    body: JSON.stringify(body),
  }
}

type ListHandler = Handler & { is: 'list' }

const newestChange = (context: Context, { list }: ListHandler, input: InputOf<Endpoint>): Promise<number> =>
  list.changeNow ? list.changeNow(context, input) : changeOf(context.db, context.caller.companyId)

async function ask(context: Context, handler: Handler, input: InputOf<Endpoint>): Promise<Answer<unknown>> {
  if (handler.is === 'service') return handler.service(context, input)
  if (handler.is !== 'list') throw new Error(`${handler.endpoint.name} sees to its own transactions`)
  const since = sinceOf(input)
  return since === undefined
    ? handler.list.page(context, input)
    : { body: await handler.list.changes(context, input, since) }
}

/** Null: everything; undefined: not asked for. */
function sinceOf(input: InputOf<Endpoint>): number | null | undefined {
  const { since } = input.query as { since?: number | '' }
  return since === '' ? null : since
}

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
export async function streamList(house: House, reading: ListReading): Promise<Stream> {
  const asOf = house.clock()
  const since = sinceOf(reading.input)
  if (typeof since === 'number') {
    const found = await asReader(house, reading, (context, input) =>
      reading.handler.list.changes(context, input, since),
    )
    return { lines: changedLines(reading, found), asOf, change: found.upto }
  }
  const change = await asReader(house, reading, (context, input) => newestChange(context, reading.handler, input))
  const first = await piece(house, reading, 0)
  return { lines: allLines(house, reading, first, change), asOf, change }
}

const piece = (house: House, reading: ListReading, after: number) =>
  asReader(house, reading, (context, input) => reading.handler.list.rowsAfter(context, input, after, pieceRows))

async function* allLines(house: House, reading: ListReading, first: { id: number }[], upto: number) {
  let count = 0
  for (let rows = first; rows.length > 0; rows = await piece(house, reading, rows.at(-1)?.id ?? 0)) {
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
  const { fills, name } = handler.endpoint
  if (!fills) throw new Error(`${name} fills no table`)
  return line({ row: shaped(fills.row, row, name) })
}
