/** Sends all calls of a page except reads: secrets and files directly, queueable and long ones after recording. */
import { createLocalProblem } from '#contract/problem.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { getDisplayName } from '#domain/text.ts'
import { toHttpRequest, type HttpRequest } from '#contract/http-mapping.ts'
import { readActiveSession, type Session } from '#local/session/session.ts'
import type { Subject } from '#local/storage/records.ts'
import type { RequestData } from '#request/transport/send-request.ts'
import {
  buildKeyHeaders,
  createFailure,
  type CallInput,
  toCallRequest,
  toCallResult,
  withSignal,
} from '#request/transport/call-http.ts'
import type { PageCall, PagePorts } from '#request/page/page-ports.ts'
import type { CallResult } from '#request/call-results.ts'

/** If the server requires the password first (S-48), sends the same intent once more after the password was confirmed. */
export async function dispatchWrite(pageCall: PageCall): Promise<CallResult<unknown>> {
  const session = await readSessionOfCall(pageCall)
  const isActing = session?.actingUntil !== undefined
  if (session && isShownToAnother(pageCall.options.shownTo, session))
    return createFailure(isActing ? 'ACTING_READ_ONLY' : 'ACTING_ENDED', pageCall.options.intent)
  if (isActing && (await isRefusedWhileActing(pageCall)))
    return createFailure('ACTING_READ_ONLY', pageCall.options.intent)
  const dispatchOnce = isActing ? dispatchActing : dispatchOwn
  const result = await dispatchOnce(pageCall)
  if (result.kind !== 'problem' || result.problem.code !== 'STEP_UP_REQUIRED') return result
  if (!(await pageCall.ports.stepUp?.())) return result
  const { intent } = result
  return await dispatchOnce(intent === undefined ? pageCall : { ...pageCall, options: { ...pageCall.options, intent } })
}

const readSessionOfCall = async ({ ports, endpoint }: PageCall): Promise<Session | null> =>
  endpoint.access === 'anybody' ? null : await readActiveSession(await ports.device())

/**
 * Returns true if the user has started or stopped acting for a customer in another tab, and this page does not show it yet. The server would
 * run the request for the wrong company, because the staff may operate the services of all.
 */
const isShownToAnother = (shownTo: Subject | undefined, { companyId, userId }: Session): boolean =>
  shownTo !== undefined && shownTo.userId === userId && shownTo.companyId !== companyId

/** Refused here too while the user acts for a customer, so that nothing is recorded that the server would refuse (decision 111). */
async function isRefusedWhileActing({ endpoint }: PageCall): Promise<boolean> {
  const [{ actingCalls }, { actingChanges }] = await Promise.all([
    import('#contract/staff/acting-calls.ts'),
    import('#contract/staff/acting-changes.ts'),
  ])
  return !actingCalls.has(endpoint.name) && !actingChanges.has(endpoint.name)
}

/**
 * Nothing is queued while the user acts for a customer: a waiting write could be sent after the consent has ended, and would be deleted with
 * the customer's data (decision 116).
 */
async function dispatchActing(pageCall: PageCall): Promise<CallResult<unknown>> {
  const { ports, endpoint, input } = pageCall
  if (endpoint.secret) return await sendDirectly(ports, endpoint, input)
  return endpoint.job ? await sendLongRequest(pageCall) : await sendNow(pageCall)
}

async function dispatchOwn(pageCall: PageCall): Promise<CallResult<unknown>> {
  const { ports, endpoint, input } = pageCall
  if (endpoint.offline === 'queue' && endpoint.encoding === 'multipart')
    return await (await import('#request/writes/upload.ts')).sendUpload(pageCall)
  if (endpoint.secret || endpoint.encoding === 'multipart') return await sendDirectly(ports, endpoint, input)
  if (endpoint.job) return await sendLongRequest(pageCall)
  if (isQueued(endpoint, input)) return await sendRecorded(pageCall)
  return await sendNow(pageCall)
}

function isQueued({ offline, queue: queueSpec }: Endpoint, input: CallInput): boolean {
  // `mustNotQueue` knows the type of its endpoint's input, which is untyped here.
  return offline === 'queue' && queueSpec !== undefined && !queueSpec.mustNotQueue?.(input as never)
}

/**
 * Sends passwords, tokens and files directly to the server. They are never stored. They are sent again only if an expired token was
 * refused. The output of an endpoint with a `responseType` is a DownloadedFile.
 */
async function sendDirectly(ports: PagePorts, endpoint: Endpoint, input: CallInput): Promise<CallResult<unknown>> {
  const isUpload = endpoint.encoding === 'multipart'
  const wire = toHttpRequest(endpoint, (isUpload ? { ...input, body: undefined } : input) as never)
  if (!isUpload && endpoint.access !== 'anybody') return await sendSecret(ports, wire)
  const token = endpoint.access === 'anybody' ? null : await ports.tokenAccess.read(null)
  const request = new Request(ports.origin + wire.path, {
    method: wire.method,
    body: isUpload ? buildForm(input.body) : wire.body,
    headers: {
      ...(wire.contentType ? { 'content-type': wire.contentType } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      [headers.pipeline]: '1',
      [headers.build]: ports.build,
    },
    credentials: 'same-origin',
    cache: 'no-store',
  })
  const response = await ports.network(request).catch(() => null)
  if (!response) return createFailure('NEEDS_CONNECTION')
  if (endpoint.responseType)
    return await (await import(/* chunk: orders */ '#request/page/read-file-response.ts')).readFileResponse(
      ports,
      response,
    )
  const { readDirectResponse } = await import('#request/page/direct-response.ts')
  return await readDirectResponse(ports, response)
}

/**
 * Sends a secret with the session's token. The token may expire while the user fills in the form. It is then renewed and the request
 * repeated, because the refused one had no effect.
 */
async function sendSecret(ports: PagePorts, { contentType, ...wire }: HttpRequest): Promise<CallResult<unknown>> {
  const [{ sendExplained }, { toResponse }] = await Promise.all([
    import('#request/session/send-signed-in.ts'),
    import('#request/transport/send-request.ts'),
  ])
  const request = { ...wire, headers: contentType ? { 'content-type': contentType } : {} }
  const response = await sendExplained(ports, request as RequestData)
  return response ? await toCallResult(toResponse(response)) : createFailure('NEEDS_CONNECTION')
}

function buildForm(body: unknown): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body as Record<string, string | Blob>)) form.append(name, value)
  return form
}

async function sendNow({ ports, endpoint, input, options }: PageCall): Promise<CallResult<unknown>> {
  // A form that is sent again is the same write, perhaps with other bytes. It takes effect at most once (protocol 1).
  const key = ports.newId()
  const requestedIntent = options.intent ?? key
  const watchedCall =
    endpoint.access === 'anybody'
      ? null
      : await (await import('#request/writes/direct-call.ts')).watchCall(ports, endpoint, {
          intent: requestedIntent,
          key,
          input,
          name: options.recordName ?? getDisplayName(options.base?.values),
        })
  const intent = watchedCall?.intent ?? requestedIntent
  const baseVersion = options.base?.rowVersion
  const request = toCallRequest(ports, toHttpRequest(endpoint, input as never), {
    ...buildKeyHeaders({ intent, key }),
    ...(baseVersion === undefined ? {} : { 'if-match': `"${baseVersion}"` }),
  })
  const response = await ports.pipeline(withSignal(request, options), endpoint).catch(() => Response.error())
  await watchedCall?.onResponse(response.type === 'error' ? null : response)
  return response.type === 'error' ? createFailure('NEEDS_CONNECTION', intent) : await toCallResult(response, intent)
}

const toSealedResult = (intent: string): CallResult<never> => ({
  kind: 'queued',
  intent,
  holdReason: { problem: createLocalProblem('SESSION_LAPSED'), isBehind: false },
})

/** Recorded before the first byte is sent, also online (protocol 11). */
async function sendRecorded({ ports, endpoint, input, options }: PageCall): Promise<CallResult<unknown>> {
  const { acknowledgeRefusal, recordWrite } = await import('#request/writes/record-write.ts')
  const recordResult = await recordWrite(ports, endpoint, input, options)
  if ('problem' in recordResult) return { kind: 'problem', problem: recordResult.problem }
  if ('sealedIntent' in recordResult) {
    // The session seems to have expired on this device. If the server can be reached, its response shows whether it really has.
    ports.keepAlive(
      import('#request/writes/sender.ts').then(({ sendOutbox }) => sendOutbox(ports, { immediate: true })),
    )
    return toSealedResult(recordResult.sealedIntent)
  }
  if ('unstoredEntry' in recordResult)
    return await (await import('#request/writes/send-unstored.ts')).sendUnstored(ports, recordResult)
  const { intent } = recordResult.entry
  const request = toCallRequest(ports, toHttpRequest(endpoint, input as never), buildKeyHeaders(recordResult.entry))
  // The page may abort its wait, but the write is kept: an abort never removes an entry.
  const response = await ports.pipeline(request, endpoint).catch(() => Response.error())
  if (response.type === 'error') return await readRecordedResult(ports, intent)
  const result = await toCallResult(response, intent)
  if (response.headers.get(headers.outbox) === 'refused') await acknowledgeRefusal(ports, intent)
  return result
}

/** Sends a long request. The result is read from the job's row, so that no fetch stays open (protocol 39). */
async function sendLongRequest({ ports, endpoint, input, options }: PageCall): Promise<CallResult<unknown>> {
  const { markStartUnknown, waitForJob, recordRequest } = await import('#request/jobs/start-job.ts')
  const recordResult = await recordRequest(ports, endpoint, input, options)
  if ('problem' in recordResult) return { kind: 'problem', problem: recordResult.problem }
  const { job } = recordResult
  if (job.state === 'starting') {
    const request = toCallRequest(ports, toHttpRequest(endpoint, input as never), buildKeyHeaders(job))
    const response = await ports.pipeline(request, endpoint).catch(() => Response.error())
    if (response.type === 'error') await markStartUnknown(ports, job.intent)
  }
  return await waitForJob(ports, job, options)
}

/** Called if the worker died during the request. The stored entry and receipt are correct, and sending continues from them. */
async function readRecordedResult(ports: PagePorts, intent: string): Promise<CallResult<unknown>> {
  const { findOutcome } = await import('#request/writes/record-write.ts')
  const { receipt } = await findOutcome(ports, intent)
  if (!receipt) return { kind: 'queued', intent }
  // Returns the stored response. If the write had been executed before, the problem contains the response to its first execution.
  const { status, body } = receipt
  return await toCallResult(new Response(status === 204 ? null : body, { status }), intent)
}
