/** Calls that watch a log and fill what is kept of it: past the cache, and only as the one whose device this is. */
import type { Endpoint, InputOf, OutputOf } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { toWire } from '#contract/http-mapping.ts'
import { localProblem, type Problem } from '#contract/problem.ts'
import type { Ports } from '#request/ports.ts'
import type { Guard } from '#request/reads/read-context.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { subjectOf } from '#request/session/subject.ts'
import { sendOrExplain } from '#request/transport/blocked.ts'
import { isGood, jsonOf, problemOf, type ResponseData } from '#request/transport/transport.ts'

/** What the line, the server or the disk did not grant; said to whoever waits for it. */
export class TrailProblem extends Error {
  readonly problem: Problem
  constructor(problem: Problem) {
    super(problem.code)
    this.problem = problem
  }
}

/** Throws TrailProblem. */
export async function askAnswer<E extends Endpoint>(
  ports: Ports,
  guard: Guard,
  endpoint: E,
  asked: InputOf<E>,
): Promise<ResponseData> {
  const { method, path, body, contentType } = toWire(endpoint, asked as never)
  const ofWrite = method === 'GET' ? {} : { [headers.key]: ports.newId(), [headers.forUser]: subjectOf(guard.subject) }
  const request = {
    method,
    path,
    headers: { ...(contentType ? { 'content-type': contentType } : {}), ...ofWrite },
    body,
  }
  const answer = await sendOrExplain(ports, request, (one) => sendSignedIn(ports, one, endpoint.who))
  if (!answer) throw new TrailProblem(localProblem('OFFLINE'))
  if (!isGood(answer)) throw new TrailProblem(problemOf(answer))
  // Somebody else's cookie: what they may read is not for this database.
  if (answer.headers.get(headers.subject) !== subjectOf(guard.subject)) throw new TrailProblem(localProblem('OFFLINE'))
  return answer
}

/** Throws TrailProblem, also where what came is no JSON. */
export async function ask<E extends Endpoint>(
  ports: Ports,
  guard: Guard,
  endpoint: E,
  asked: InputOf<E>,
): Promise<{ body: OutputOf<E>; asOf: number }> {
  const answer = await askAnswer(ports, guard, endpoint, asked)
  const body = jsonOf(answer)
  if (typeof body !== 'object' || body === null) throw new TrailProblem(localProblem('UNREADABLE_ANSWER'))
  return { body: body as OutputOf<E>, asOf: asOfIn(answer, ports) }
}

export const asOfIn = (answer: ResponseData, ports: Ports): number =>
  Number(answer.headers.get(headers.asOf) ?? ports.clock())
