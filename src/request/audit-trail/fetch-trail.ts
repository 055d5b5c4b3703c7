/**
 * Makes the calls that check a log and fill the stored trail. They bypass the cache, and are made only for the user whose database is open.
 */
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { createLocalProblem, type Problem } from '#contract/problem.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { SessionGuard } from '#request/reads/read-context.ts'
import { sendExplained } from '#request/session/send-signed-in.ts'
import { formatSubject } from '#request/session/subject.ts'
import { isSuccess, parseJson, toProblem, type ResponseData, readAsOf } from '#request/transport/send-request.ts'

/** Thrown with a problem of the connection, the server or the disk, which the caller shows. */
export class TrailProblem extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.code)
    this.problem = problem
  }
}

export interface TrailContext {
  ports: PipelinePorts
  guard: SessionGuard
}

export interface LogContext extends TrailContext {
  companyId: number
}

/** Throws TrailProblem. */
export async function fetchTrailResponse<E extends Endpoint>(
  { ports, guard }: TrailContext,
  endpoint: E,
  input: InputOf<E>,
): Promise<ResponseData> {
  const { method, path, body, contentType } = toHttpRequest(endpoint, input as never)
  const writeHeaders =
    method === 'GET' ? {} : { [headers.key]: ports.newId(), [headers.forUser]: formatSubject(guard.subject) }
  const request = {
    method,
    path,
    headers: { ...(contentType ? { 'content-type': contentType } : {}), ...writeHeaders },
    body,
  }
  const response = await sendExplained(ports, request, endpoint.access)
  if (!response) throw new TrailProblem(createLocalProblem('OFFLINE'))
  if (!isSuccess(response)) throw new TrailProblem(toProblem(response))
  // The session cookie belongs to another user, whose data must not be stored in this database.
  if (response.headers.get(headers.subject) !== formatSubject(guard.subject))
    throw new TrailProblem(createLocalProblem('OFFLINE'))
  return response
}

/** Throws TrailProblem, also if the response is not JSON. */
export async function fetchTrail<E extends Endpoint>(
  context: TrailContext,
  endpoint: E,
  input: InputOf<E>,
): Promise<{ body: OutputOf<E>; asOf: number }> {
  const response = await fetchTrailResponse(context, endpoint, input)
  const body = parseJson(response)
  if (typeof body !== 'object' || body === null) throw new TrailProblem(createLocalProblem('UNREADABLE_ANSWER'))
  return { body: body as OutputOf<E>, asOf: readAsOf(response, context.ports.clock()) }
}
