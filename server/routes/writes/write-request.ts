/** Parses and executes one write, which was sent alone or in a batch (protocol 23). */
import type { IncomingHttpHeaders } from 'node:http'
import * as z from 'zod/mini'
import { headers } from '#contract/headers.ts'
import { isRefusedQuery, listRefusedFields } from '#contract/staff/acting-changes.ts'
import { key as keyShape } from '#contract/values.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import { parseLanguage } from '#server/problems/problem-body.ts'
import type { AppContext } from '#server/context/context.ts'
import { getHeader, parseInput, type RequestParts, type ReceivedBody } from '#server/http/input/parse.ts'
import { digestFile } from '#server/http/input/multipart-form.ts'
import { requireCaller, checkPermission, type Principal } from '#server/http/authenticate.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import type { EndpointHandler } from '#server/http/route-handler.ts'
import { notifyJobs } from '#server/use-cases/job-requests.ts'
import { hasStepUp } from '#server/use-cases/sessions/step-up.ts'
import { executeWrite } from '#server/commands/execute.ts'

export interface WriteInput {
  handler: EndpointHandler
  path: string
  headers: IncomingHttpHeaders
  requestParts: RequestParts
  principal: Principal
  /** The intent that must be executed first, or null. Only items of a batch have one. */
  predecessorIntent: string | null
  requestId: string
}

export async function executeWriteRequest(
  app: AppContext,
  writeInput: WriteInput,
): Promise<{ response: StoredResponse; unknownFieldCount: number }> {
  const { handler, principal } = writeInput
  if (handler.kind !== 'use-case') throw new ProblemError('METHOD_NOT_ALLOWED')
  const { endpoint, useCase, prepare } = handler
  const sentBody = toFingerprintBody(writeInput.requestParts.body)
  // Also fields that the call does not know: a refused field must not look as if it had been saved.
  if (principal.caller?.actingConsent && listRefusedFields(endpoint.name, sentBody).length > 0)
    throw new ProblemError('ACTING_READ_ONLY')
  const { input: parsedInput, unknownFieldCount } = parseInput(endpoint, writeInput.requestParts)
  if (principal.caller?.actingConsent && isRefusedQuery(endpoint.name, parsedInput.query))
    throw new ProblemError('ACTING_READ_ONLY')
  const input = prepare ? await prepare(parsedInput, requireCaller(principal), app) : parsedInput
  const isPasswordFresh = await hasStepUp(app, endpoint, input, principal.sessionId)
  const requirePassword = () => {
    if (!isPasswordFresh) throw new ProblemError('STEP_UP_REQUIRED')
  }
  const request = {
    endpoint,
    path: writeInput.path,
    key: readKeyHeader(writeInput.headers, headers.key),
    intent: readKeyHeader(writeInput.headers, headers.intent),
    forUser: getHeader(writeInput.headers, headers.forUser) ?? null,
    ifMatch: writeInput.headers['if-match'] ?? null,
    predecessorIntent: writeInput.predecessorIntent,
    hasWaited: getHeader(writeInput.headers, headers.waited) !== undefined,
    body: sentBody,
    caller: principal.caller,
    sessionId: principal.sessionId,
    requestId: writeInput.requestId,
    language: parseLanguage(writeInput.headers['accept-language']),
    checkPermission() {
      checkPermission(endpoint, principal)
      if (endpoint.stepUp !== 'row') requirePassword()
    },
    requirePassword,
    input,
  }
  const response = await executeWrite(app, request, useCase)
  if (endpoint.job && response.status === 202) notifyJobs(app)
  return { response, unknownFieldCount }
}

/** Returns the header's value, or null. Throws VALIDATION_ERROR if the value cannot be a key of the idempotency store. */
function readKeyHeader(requestHeaders: IncomingHttpHeaders, name: string): string | null {
  const value = getHeader(requestHeaders, name)
  if (value === undefined) return null
  if (z.safeParse(keyShape, value).success) return value
  throw createValidationProblem([{ field: name, code: 'INVALID_FORMAT' }])
}

/** Returns the body for the fingerprint of the write. A file is represented by its digest. */
function toFingerprintBody(body: ReceivedBody): unknown {
  if (body.kind === 'json') return body.value
  if (body.kind === 'parts')
    return body.parts.map(([name, part]) => [name, typeof part === 'string' ? part : digestFile(part)])
  return body.kind === 'pairs' ? body.pairs : null
}
