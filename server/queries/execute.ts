/** Readings: one transaction as the caller's company, the change number before the rows, nothing written. */
import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import type { Caller } from '#domain/access.ts'
import type { StoredResponse } from '#server/commands/command.ts'
import { changeOf } from '#server/db/change-numbers.ts'
import type { Handle } from '#server/db/handle.ts'
import { findIntents } from '#server/db/idempotency.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { Answer, UseCaseContext, AppContext } from '#server/context/context.ts'
import { etagOf, shapeRows } from '#server/context/response-schema.ts'
import { reportLeftOutRows } from '#server/queries/report-left-out-rows.ts'
import type { Handler } from '#server/http/route-handler.ts'
import { namedIn, withIds } from '#server/commands/references.ts'

export interface Reading<H extends Handler = Handler> {
  handler: H
  input: ParsedInputOf<Endpoint>
  caller: Caller
  sessionId: string | null
  requestId: string
}

const contextOf = (app: AppContext, db: Handle, { caller, sessionId, requestId }: Reading): UseCaseContext => ({
  db,
  app,
  caller,
  sessionId,
  now: app.clock(),
  requestId,
  intent: null,
  ifMatch: null,
  requirePassword: changesNothing,
  audit: changesNothing,
  nextChangeNumber: changesNothing,
  setResultRow: changesNothing,
  afterCommit: changesNothing,
})

const changesNothing = (): never => {
  throw new Error('a reading changes nothing')
}

type Work<T> = (context: UseCaseContext, input: ParsedInputOf<Endpoint>) => Promise<T>

export const asReader = <T>(app: AppContext, reading: Reading, work: Work<T>): Promise<T> =>
  inTransaction(
    app,
    { role: 'portal_app', companyId: reading.caller.companyId },
    async (db) => work(contextOf(app, db, reading), await withNames(db, reading)),
    'reading',
  )

/** Rows may be asked for by the write that makes them, as in a write (protocol 17). */
async function withNames(db: Handle, { handler, input, caller }: Reading): Promise<ParsedInputOf<Endpoint>> {
  const named = namedIn(handler.endpoint, input)
  return named.length === 0 ? input : withIds(handler.endpoint, input, await findIntents(db, caller, named))
}

export async function read(app: AppContext, reading: Reading): Promise<StoredResponse> {
  const { endpoint } = reading.handler
  const asOf = app.clock()
  const { said, change } = await asReader(app, reading, async (context, input) => ({
    // Before the rows: what is committed in between comes again with the next `since`, and nothing is missed.
    change: reading.handler.kind === 'list' ? await newestChange(context, reading.handler, input) : null,
    said: await ask(context, reading.handler, input),
  }))
  const { body, leftOut } =
    endpoint.output === null ? { body: null, leftOut: [] } : shapeRows(endpoint.output, said.body, endpoint.name)
  const etag = etagOf(body)
  return {
    status: said.status ?? 200,
    headers: {
      [headers.asOf]: String(asOf),
      ...(change === null ? {} : { [headers.change]: String(change) }),
      ...(etag ? { etag } : {}),
      ...reportLeftOutRows(app, reading, leftOut),
      ...said.headers,
    },
    body: JSON.stringify(body),
  }
}

export type ListHandler = Handler & { kind: 'list' }

export const newestChange = (
  context: UseCaseContext,
  { list }: ListHandler,
  input: ParsedInputOf<Endpoint>,
): Promise<number> => (list.changeNow ? list.changeNow(context, input) : changeOf(context.db, context.caller.companyId))

async function ask(
  context: UseCaseContext,
  handler: Handler,
  input: ParsedInputOf<Endpoint>,
): Promise<Answer<unknown>> {
  if (handler.kind === 'use-case') return handler.useCase(context, input)
  if (handler.kind !== 'list') throw new Error(`${handler.endpoint.name} sees to its own transactions`)
  const since = sinceOf(input)
  return since === undefined
    ? handler.list.page(context, input)
    : { body: await handler.list.changes(context, input, since) }
}

/** Null: everything; undefined: not asked for. */
export function sinceOf(input: ParsedInputOf<Endpoint>): number | null | undefined {
  const { since } = input.query as { since?: number | '' }
  return since === '' ? null : since
}
