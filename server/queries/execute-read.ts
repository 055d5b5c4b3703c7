/** Executes reads: each in one read-only transaction with the caller's company as tenant. The change number is read before the rows. */
import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import type { Caller } from '#domain/access.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import { requireConsentOfRead } from '#server/db/accounts/acting-consents.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findIntentRows } from '#server/db/idempotency-store.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { UseCaseResponse, UseCaseContext, AppContext } from '#server/context/context.ts'
import { getEtag, applyRowSchema } from '#server/context/response-schema.ts'
import { reportLeftOutRows } from '#server/queries/report-left-out-rows.ts'
import type { EndpointHandler } from '#server/http/route-handler.ts'
import { findReferencedIntents, resolveReferences } from '#server/commands/references.ts'

export interface ReadRequest<H extends EndpointHandler = EndpointHandler> {
  handler: H
  input: ParsedInputOf<Endpoint>
  caller: Caller
  sessionId: string | null
  requestId: string
}

const createReadContext = (
  app: AppContext,
  db: DatabaseHandle,
  { caller, sessionId, requestId }: ReadRequest,
): UseCaseContext => ({
  db,
  app,
  caller,
  sessionId,
  now: app.clock(),
  requestId,
  intent: null,
  ifMatch: null,
  requirePassword: refuseChange,
  audit: refuseChange,
  takeNextChangeNumber: refuseChange,
  setResultRow: refuseChange,
  afterCommit: refuseChange,
})

const refuseChange = (): never => {
  throw new Error('a read must not change data')
}

type ReadWork<T> = (context: UseCaseContext, input: ParsedInputOf<Endpoint>) => Promise<T>

export const readInTransaction = <T>(app: AppContext, request: ReadRequest, work: ReadWork<T>): Promise<T> =>
  runInTransaction(
    app,
    { role: 'portal_app', companyId: request.caller.companyId },
    async (db) => {
      await requireConsentOfRead(db, request.caller, app.clock())
      return work(createReadContext(app, db, request), await resolveInput(db, request))
    },
    'reading',
  )

/** Replaces references in the input by ids. A read may refer to a row by the intent that created it, as a write may (protocol 17). */
async function resolveInput(
  db: DatabaseHandle,
  { handler, input, caller }: ReadRequest,
): Promise<ParsedInputOf<Endpoint>> {
  const referencedIntents = findReferencedIntents(handler.endpoint, input)
  return referencedIntents.length === 0
    ? input
    : resolveReferences(handler.endpoint, input, await findIntentRows(db, caller, referencedIntents))
}

export async function executeRead(app: AppContext, request: ReadRequest): Promise<StoredResponse> {
  const { endpoint } = request.handler
  const asOf = app.clock()
  const { response, change } = await readInTransaction(app, request, async (context, input) => ({
    // Read before the rows: changes committed in between are returned again with the next `since`, so none is lost.
    change: request.handler.kind === 'list' ? await request.handler.list.readLatestChange(context, input) : null,
    response: await callHandler(context, request.handler, input),
  }))
  const { body, leftOutRows } =
    endpoint.output === null
      ? { body: null, leftOutRows: [] }
      : applyRowSchema(endpoint.output, response.body, endpoint.name)
  const etag = getEtag(body)
  return {
    status: response.status ?? 200,
    headers: {
      [headers.asOf]: String(asOf),
      ...(change === null ? {} : { [headers.change]: String(change) }),
      ...(etag ? { etag } : {}),
      ...reportLeftOutRows(app, request, leftOutRows),
      ...response.headers,
    },
    body: JSON.stringify(body),
  }
}

export type ListHandler = EndpointHandler & { kind: 'list' }

async function callHandler(
  context: UseCaseContext,
  handler: EndpointHandler,
  input: ParsedInputOf<Endpoint>,
): Promise<UseCaseResponse<unknown>> {
  if (handler.kind === 'use-case') return handler.useCase(context, input)
  if (handler.kind !== 'list') throw new Error(`${handler.endpoint.name} runs its own transactions`)
  const since = parseSince(input)
  return since === undefined
    ? handler.list.readPage(context, input)
    : { body: await handler.list.readChanges(context, input, since) }
}

/** Returns null for all rows, and undefined if `since` was not sent. */
export function parseSince(input: ParsedInputOf<Endpoint>): number | null | undefined {
  const { since } = input.query as { since?: number | '' }
  return since === '' ? null : since
}
