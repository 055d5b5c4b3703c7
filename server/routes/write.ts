/** A write as one asking, whether it came alone or in a batch (protocol 23): the schema, then the one way of writing. */
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod/mini'
import { headers } from '#contract/headers.ts'
import { key as keyShape } from '#contract/values.ts'
import { languageOf } from '#server/errors.ts'
import { headerOf, parseInput, type Received, type ReceivedBody } from '#server/http/input.ts'
import { digest } from '#server/http/parts.ts'
import { permit, type Visitor } from '#server/http/session.ts'
import type { House } from '#server/house.ts'
import { invalid, ProblemError } from '#server/problem.ts'
import type { Handler } from '#server/routes/handlers.ts'
import { ringForJobs } from '#server/services/jobs.ts'
import { needsPassword } from '#server/services/step-up.ts'
import { type Carried, carryOut } from '#server/write.ts'

export interface Asking {
  handler: Handler
  /** As sent, with its query. */
  path: string
  headers: IncomingHttpHeaders
  received: Received
  visitor: Visitor
  /** The intent it must not overtake; batches only. */
  after: string | null
  requestId: string
}

export async function write(house: House, asking: Asking): Promise<{ carried: Carried; strays: number }> {
  const { handler, visitor } = asking
  if (handler.is !== 'service') throw new ProblemError('METHOD_NOT_ALLOWED')
  const { endpoint, service, prepare } = handler
  const { input: sent, strays } = parseInput(endpoint, asking.received)
  const input = prepare ? await prepare(sent) : sent
  const isBarred = await needsPassword(house, endpoint, input, visitor.sessionId)
  const request = {
    endpoint,
    path: asking.path,
    key: keyOf(asking.headers, headers.key),
    intent: keyOf(asking.headers, headers.intent),
    forUser: headerOf(asking.headers, headers.forUser) ?? null,
    ifMatch: asking.headers['if-match'] ?? null,
    after: asking.after,
    body: asReceived(asking.received.body),
    caller: visitor.caller,
    word: visitor.word,
    requestId: asking.requestId,
    language: languageOf(asking.headers['accept-language']),
    permit() {
      permit(endpoint, visitor)
      if (isBarred) throw new ProblemError('STEP_UP_REQUIRED')
    },
    input,
  }
  const carried = await carryOut(house, request, service)
  if (endpoint.relays && carried.status === 202) ringForJobs(house)
  return { carried, strays }
}

/** Throws VALIDATION_ERROR for what could not stand in the ledger. */
function keyOf(from: IncomingHttpHeaders, name: string): string | null {
  const value = headerOf(from, name)
  if (value === undefined) return null
  if (z.safeParse(keyShape, value).success) return value
  throw invalid([{ field: name, code: 'INVALID_FORMAT' }])
}

/** A file stands in a print by its digest. */
function asReceived(body: ReceivedBody): unknown {
  if (body.is === 'json') return body.value
  if (body.is === 'parts')
    return body.parts.map(([name, part]) => [name, typeof part === 'string' ? part : digest(part)])
  return body.is === 'pairs' ? body.pairs : null
}
