/** A write as one asking, whether it came alone or in a batch (protocol 23): the schema, then the one way of writing. */
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod/mini'
import { headers } from '#contract/headers.ts'
import { key as keyShape } from '#contract/values.ts'
import type { StoredResponse } from '#server/commands/command.ts'
import { languageOf } from '#server/problems/problem-body.ts'
import type { AppContext } from '#server/context/context.ts'
import { headerOf, parseInput, type Received, type ReceivedBody } from '#server/http/input/parse.ts'
import { digest } from '#server/http/input/multipart.ts'
import { requireCaller, permit, type Principal } from '#server/http/authenticate.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'
import type { Handler } from '#server/http/route-handler.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { hasFreshPassword } from '#server/use-cases/sessions/step-up.ts'
import { executeWrite } from '#server/commands/execute.ts'

export interface Asking {
  handler: Handler
  /** As sent, with its query. */
  path: string
  headers: IncomingHttpHeaders
  received: Received
  principal: Principal
  /** The intent it must not overtake; batches only. */
  after: string | null
  requestId: string
}

export async function write(app: AppContext, asking: Asking): Promise<{ carried: StoredResponse; strays: number }> {
  const { handler, principal } = asking
  if (handler.kind !== 'use-case') throw new ProblemError('METHOD_NOT_ALLOWED')
  const { endpoint, useCase, prepare } = handler
  const { input: sent, strays } = parseInput(endpoint, asking.received)
  const input = prepare ? await prepare(sent, requireCaller(principal)) : sent
  const isFresh = await hasFreshPassword(app, endpoint, input, principal.sessionId)
  const requirePassword = () => {
    if (!isFresh) throw new ProblemError('STEP_UP_REQUIRED')
  }
  const request = {
    endpoint,
    path: asking.path,
    key: keyOf(asking.headers, headers.key),
    intent: keyOf(asking.headers, headers.intent),
    forUser: headerOf(asking.headers, headers.forUser) ?? null,
    ifMatch: asking.headers['if-match'] ?? null,
    after: asking.after,
    body: asReceived(asking.received.body),
    caller: principal.caller,
    sessionId: principal.sessionId,
    requestId: asking.requestId,
    language: languageOf(asking.headers['accept-language']),
    permit() {
      permit(endpoint, principal)
      if (endpoint.stepUp !== 'row') requirePassword()
    },
    requirePassword,
    input,
  }
  const carried = await executeWrite(app, request, useCase)
  if (endpoint.job && carried.status === 202) notifyJobs(app)
  return { carried, strays }
}

/** Throws VALIDATION_ERROR for what could not stand in the idempotency store. */
function keyOf(from: IncomingHttpHeaders, name: string): string | null {
  const value = headerOf(from, name)
  if (value === undefined) return null
  if (z.safeParse(keyShape, value).success) return value
  throw invalid([{ field: name, code: 'INVALID_FORMAT' }])
}

/** A file stands in a print by its digest. */
function asReceived(body: ReceivedBody): unknown {
  if (body.kind === 'json') return body.value
  if (body.kind === 'parts')
    return body.parts.map(([name, part]) => [name, typeof part === 'string' ? part : digest(part)])
  return body.kind === 'pairs' ? body.pairs : null
}
