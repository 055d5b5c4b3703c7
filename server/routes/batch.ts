/**
 * Many writes in one request (protocol 23, 24): each item is carried out as if it had come alone, in order, and echoes its
 * own key. What may not go in a batch, or comes after a stop, is answered as not attempted, never dropped.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { z } from 'zod/mini'
import { type batchItem, sendBatch } from '#contract/requests.ts'
import { headers } from '#contract/headers.ts'
import { endpoints } from '#contract/index.ts'
import { matcher } from '#contract/wire.ts'
import { problemCarried } from '#server/http/answers.ts'
import { pathOf } from '#server/http/headers.ts'
import { queryPairs } from '#server/http/input.ts'
import { callerOf, checkForUser, type Visitor, visitorOf } from '#server/http/session.ts'
import { invalid, notFound, ProblemError } from '#server/problem.ts'
import { conduct, type Handler, type Visit } from '#server/routes/handlers.ts'
import { write } from '#server/routes/write.ts'
import type { Carried } from '#server/write.ts'

type Item = z.output<typeof batchItem>
interface ItemAnswer {
  status: number
  headers: Record<string, string>
  body: unknown
}

const mostMs = 5000
/** After these nothing that follows could end otherwise, or it would only make things worse. */
const stops = new Set([401, 429, 503])
const allowedHeaders = new Set<string>(['if-match', headers.forUser, headers.intent])
const match = matcher(endpoints)

export const batch = (handlers: readonly Handler[]): Handler[] => {
  const byName = new Map(handlers.map((handler) => [handler.endpoint.name, handler]))
  return [
    conduct(sendBatch, async (visit, { body: items }) => {
      const answers: ItemAnswer[] = []
      const until = performance.now() + mostMs
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

const problem = (visit: Visit, error: unknown) => problemCarried(error, visit.headers['accept-language'])

const answerOf = (item: Item, { status, headers: said, body }: Carried): ItemAnswer => ({
  status,
  headers: { ...said, [headers.key]: item.key },
  body: body === null ? null : JSON.parse(body),
})

async function carry(byName: Map<string, Handler>, visit: Visit, item: Item): Promise<Carried> {
  try {
    return await attempt(byName, visit, item)
  } catch (error) {
    const carried = problem(visit, error)
    if (carried.status === 500) visit.house.log.error({ err: error, requestId: visit.requestId }, 'failed')
    return carried
  }
}

async function attempt(byName: Map<string, Handler>, visit: Visit, item: Item): Promise<Carried> {
  const sent = headersOf(visit, item)
  const visitor = await freshVisitor(visit)
  checkForUser(visitor, sent[headers.forUser] as string | undefined)
  const found = match(item.method, pathOf(item.path))
  if (!found) throw notFound()
  const { endpoint, params } = found
  if (!endpoint.queues || endpoint.relays || endpoint.encoding === 'multipart')
    throw invalid([{ field: 'path', code: 'OUT_OF_RANGE' }])
  const handler = byName.get(endpoint.name)
  if (!handler) throw new ProblemError('NOT_SUPPORT')
  if (!visit.house.database.hasRoom()) throw new ProblemError('STORAGE_FULL', null, 60)
  const { carried } = await write(visit.house, {
    handler,
    path: item.path,
    headers: sent,
    received: {
      params,
      query: queryPairs(item.path),
      body: item.body === undefined ? { is: 'none' } : { is: 'json', value: item.body },
    },
    visitor,
    after: item.after ?? null,
    requestId: visit.requestId,
  })
  return carried
}

function headersOf(visit: Visit, item: Item): IncomingHttpHeaders {
  const own = Object.entries(item.headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const strange = own.find(([name]) => !allowedHeaders.has(name))
  if (strange) throw invalid([{ field: `headers.${strange[0]}`, code: 'UNKNOWN_FIELD' }])
  const language = visit.headers['accept-language']
  return { ...Object.fromEntries(own), [headers.key]: item.key, ...(language ? { 'accept-language': language } : {}) }
}

/** The bearer's expiry was judged for the whole batch; that the user was disabled or the session ended is not waited for. */
async function freshVisitor(visit: Visit): Promise<Visitor> {
  const now = await visitorOf(visit.house, visit.headers.authorization)
  if (now.problem?.code === 'TOKENEXPIRED') return visit.visitor
  callerOf(now)
  return now
}
