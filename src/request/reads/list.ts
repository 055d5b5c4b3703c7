/**
 * The step for lists and readings: the network is raced for a moment, then the device answers and says so. What the
 * server says is stored as rows, never as answers, and only if the session is still the one that asked (protocol 10).
 */
import type { ListSpec } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { fromPairs } from '#contract/http-mapping.ts'
import { proveIndex } from '#local/list-index/list-index.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { storePage } from '#local/lists/response-store.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { sendSignedIn } from '#request/session/auth-fetch.ts'
import { isBlocked, sendOrExplain } from '#request/transport/blocked.ts'
import {
  type ResponseData,
  isGood,
  jsonOf,
  localResponse,
  patienceMs,
  problemOf,
} from '#request/transport/transport.ts'
import type { Ports } from '#request/ports.ts'
import { fill } from '#request/reads/fill-list.ts'
import { type Asked, type Guard, guardFor, kept, leftOutOf, type Page, whoNow } from '#request/reads/read-context.ts'

export async function answerList(ports: Ports, asked: Asked, list: ListSpec): Promise<ResponseData | null> {
  const query = readQuery(asked, list)
  // Something is asked that the device does not understand, so it cannot know which rows it means.
  if (!query)
    return await sendOrExplain(ports, asked.letter, (request) => sendSignedIn(ports, request, asked.endpoint.who))
  const fresh = askList(ports, asked, list, query)
  return await race(ports, fresh, () => keptList(ports, list, query))
}

/** The line if it is quick, else the device if it has something, else the line after all. Null: neither. */
export async function race(
  ports: Ports,
  fresh: Promise<ResponseData | null>,
  kept: () => Promise<ResponseData | null>,
): Promise<ResponseData | null> {
  const first = await Promise.race([fresh, ports.wait(patienceMs).then(() => null)])
  // The connection is there, so it will not mend this: its user is told, over the rows that the device has.
  if (first && (isBlocked(problemOf(first)) || (first.status < 500 && first.status !== 429))) return first
  const own = await kept()
  if (!own) return await fresh
  if (first && first.status >= 500)
    own.headers.set(headers.keptProblem, encodeURIComponent(JSON.stringify({ ...problemOf(first), data: null })))
  // Not given up when the screen is served: what comes late still belongs in the rows.
  ports.lasting(fresh)
  return own
}

async function askList(ports: Ports, asked: Asked, list: ListSpec, query: ListQuery): Promise<ResponseData | null> {
  const { session, guard: before } = await whoNow(ports)
  const answer = await sendOrExplain(ports, asked.letter, (request) =>
    sendSignedIn(ports, request, asked.endpoint.who, session),
  )
  if (!answer || !isGood(answer)) return answer
  const page = readPage(answer)
  if (!page) return null
  const guard = await guardFor(ports, before, answer)
  if (guard && (await kept(ports, () => storePage(guard.db, list, query, page, guard.generation))))
    ports.lasting(
      fill(ports, asked, list, { guard, query, page }).then(() => tidy(ports, list, { guard, query, page })),
    )
  return answer
}

/** One page in so many has its bucket counted again: a mistake in an index does not stay (protocol 37). */
const provenOnceIn = 50

async function tidy(
  ports: Ports,
  list: ListSpec,
  { guard: { db }, query, page }: { guard: Guard; query: ListQuery; page: Page },
): Promise<void> {
  const [row] = page.rows
  if (row && ports.chance() < 1 / provenOnceIn) await proveIndex(db, list, query.scope, row.id)
  const { trimCache } = await import('#local/space/clear-cache.ts')
  await trimCache(db)
}

/** Null: not a list of ours (a login page, a gateway's word). */
function readPage(answer: ResponseData): Page | null {
  const body = jsonOf(answer) as { count?: unknown; data?: unknown } | undefined
  const asOf = Number(answer.headers.get(headers.asOf) ?? Number.NaN)
  if (!Array.isArray(body?.data) || typeof body.count !== 'number' || !Number.isFinite(asOf)) return null
  const change = answer.headers.get(headers.change) ?? ''
  return { rows: body.data, count: body.count, asOf, change, ...leftOutOf(answer) }
}

const pageWords = new Set(['results', 'page', 'sortField', 'sortOrder'])

/** What the address asks for, in the device's words; null where it asks for more than the device knows. */
function readQuery({ endpoint, params, letter }: Asked, list: ListSpec): ListQuery | null {
  if (!endpoint.query) return null
  const search = new URLSearchParams(letter.path.split('?')[1] ?? '')
  const { values, repeated } = fromPairs(endpoint.query, search)
  const scopeParam = list.scope?.param
  const isKnown = (name: string) => pageWords.has(name) || name in list.filters || name === scopeParam
  if (repeated.length > 0 || !Object.keys(values).every(isKnown)) return null
  const scope = scopeParam ? Number(params[scopeParam] ?? values[scopeParam]) : null
  if (Number.isNaN(scope)) return null
  const field = typeof values.sortField === 'string' ? values.sortField : list.sort[0]
  const order = String(values.sortOrder ?? (field === list.sort[0] ? list.sort[1] : 'asc'))
  return {
    scope,
    filters: Object.fromEntries(
      Object.entries(values).filter(([name]) => name in list.filters),
    ) as ListQuery['filters'],
    sort: [field, order.startsWith('desc') ? 'desc' : 'asc'],
    page: Number(values.page ?? 1),
    results: Number(values.results ?? 10),
  }
}

async function keptList(ports: Ports, list: ListSpec, query: ListQuery): Promise<ResponseData | null> {
  const view = await readListOn(await ports.device(), list, query)
  if (view.asOf === null) return null
  return fromDevice({ count: view.count, data: view.rows.map(({ row }) => row) }, view.asOf)
}

export const fromDevice = (body: unknown, asOf: number) =>
  localResponse(200, body, { [headers.kept]: '1', [headers.asOf]: String(asOf) })
