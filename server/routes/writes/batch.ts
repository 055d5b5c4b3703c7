/**
 * Many writes in one request (protocol 23, 24): each item is carried out as if it had come alone, in order, and echoes its
 * own key. What may not go in a batch, or comes after a stop, is answered as not attempted, never dropped.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod/mini'
import { headers } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import { type batchItem, sendBatch } from '#contract/requests.ts'
import { matcher } from '#contract/http-mapping.ts'
import type { StoredResponse } from '#server/commands/command.ts'
import { problemCarried } from '#server/http/responses.ts'
import { pathOf } from '#server/http/security-headers.ts'
import { queryPairs } from '#server/http/input/parse.ts'
import { requireCaller, checkForUser, type Principal, principalOf } from '#server/http/authenticate.ts'
import { invalid, notFound, ProblemError } from '#server/problems/problem-error.ts'
import { procedureHandler, type Handler, type RequestContext } from '#server/http/route-handler.ts'
import { write } from '#server/routes/writes/write-request.ts'

type Item = z.output<typeof batchItem>
interface ItemAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
}

const maxMs = 5000
/** After these nothing that follows could end otherwise, or it would only make things worse. */
const stops = new Set([401, 429, 503])
const allowedHeaders = new Set<string>(['if-match', headers.forUser, headers.intent])
const match = matcher(endpoints)

export const batch = (handlers: readonly Handler[]): Handler[] => {
  const byName = new Map(handlers.map((handler) => [handler.endpoint.name, handler]))
  return [
    procedureHandler(sendBatch, async (visit, { body: items }) => {
      const answers: ItemAnswer[] = []
      const until = performance.now() + maxMs
      let stopped = false
      for (const item of items) {
        stopped ||= visit.stopped() || performance.now() > until
        const carried = stopped ? problem(visit, new ProblemError('NOT_ATTEMPTED')) : await carry(byName, visit, item)
        stopped ||= stops.has(carried.status)
        answers.push(answerOf(item, carried))
      }
      return { body: answers }
    }),
  ]
}

const problem = (visit: RequestContext, error: unknown) => problemCarried(error, visit.headers['accept-language'])

const answerOf = (item: Item, { status, headers: said, body }: StoredResponse): ItemAnswer => ({
  status,
  headers: { ...said, [headers.key]: item.key },
  body: body === null ? null : JSON.parse(body),
})

async function carry(byName: Map<string, Handler>, visit: RequestContext, item: Item): Promise<StoredResponse> {
  try {
    return await attempt(byName, visit, item)
  } catch (error) {
    const carried = problem(visit, error)
    if (carried.status === 500) visit.app.log.error({ err: error, requestId: visit.requestId }, 'failed')
    return carried
  }
}

async function attempt(byName: Map<string, Handler>, visit: RequestContext, item: Item): Promise<StoredResponse> {
  const sent = headersOf(visit, item)
  const principal = await freshVisitor(visit)
  checkForUser(principal, sent[headers.forUser] as string | undefined)
  const found = match(item.method, pathOf(item.path))
  if (!found) throw notFound()
  const { endpoint, params } = found
  if (!endpoint.queue || endpoint.job || endpoint.encoding === 'multipart')
    throw invalid([{ field: 'path', code: 'OUT_OF_RANGE' }])
  const handler = byName.get(endpoint.name)
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  await visit.countWrite()
  if (!visit.app.database.hasFreeSpace()) throw new ProblemError('STORAGE_FULL', null, 60)
  const { carried } = await write(visit.app, {
    handler,
    path: item.path,
    headers: sent,
    received: {
      params,
      query: queryPairs(item.path),
      body: item.body === undefined ? { kind: 'none' } : { kind: 'json', value: item.body },
    },
    principal,
    after: item.after ?? null,
    requestId: visit.requestId,
  })
  return carried
}

function headersOf(visit: RequestContext, item: Item): IncomingHttpHeaders {
  const own = Object.entries(item.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const strange = own.find(([name]) => !allowedHeaders.has(name))
  if (strange) throw invalid([{ field: `headers.${strange[0]}`, code: 'UNKNOWN_FIELD' }])
  const language = visit.headers['accept-language']
  return { ...Object.fromEntries(own), [headers.key]: item.key, ...(language ? { 'accept-language': language } : {}) }
}

/** The bearer's expiry was judged for the whole batch; that the user was disabled or the session ended is not waited for. */
async function freshVisitor(visit: RequestContext): Promise<Principal> {
  const now = await principalOf(visit.app, visit.headers.authorization)
  if (now.problem?.code === 'TOKENEXPIRED') return visit.principal
  requireCaller(now)
  return now
}
