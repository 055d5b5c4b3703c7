/**
 * The step for lists and readings: the network is raced for a moment, then the device answers and says so. What the
 * server says is stored as rows, never as answers, and only if the session is still the one that asked (protocol 10).
 */
import type { Endpoint, Fills } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { fromPairs } from '#contract/wire.ts'
import { isFull, type Subject, type UserDatabase } from '#local/database.ts'
import type { Device } from '#local/device.ts'
import { proveIndex } from '#local/holdings.ts'
import { readListOn } from '#local/lists.ts'
import { type ServerRow, storeChanges, storePage, storeReading } from '#local/rows.ts'
import { readGate, readSession, type Session } from '#local/session.ts'
import type { ListQuery } from '#local/view.ts'
import { sendSignedIn } from '#request/bearer.ts'
import { type Answer, isGood, jsonOf, type Letter, ownAnswer } from '#request/line.ts'
import type { Ports } from '#request/ports.ts'
import { subjectOf } from '#request/subject.ts'

/** So long a screen waits for the line while the device has something to show. */
export const patienceMs = 3_000
/** A list of more rows than this, some 6 MB on their way, is kept page by page as it is read, not whole. */
const fillAtMost = 20_000
/** More rows than these are stored in pieces and shown at the end. */
const atOnce = 5_000

export interface Asked {
  endpoint: Endpoint
  params: Record<string, string>
  letter: Letter
}

/** Whose rows an answer may become. */
interface Guard {
  db: UserDatabase
  subject: Subject
  generation: number
}

export async function answerList(ports: Ports, asked: Asked, fills: Fills): Promise<Answer | null> {
  const query = readQuery(asked, fills)
  // Something is asked that the device does not understand, so it cannot know which rows it means.
  if (!query) return await sendSignedIn(ports, asked.letter, asked.endpoint.who)
  const fresh = askList(ports, asked, fills, query)
  return await race(ports, fresh, () => keptList(ports, fills, query))
}

export async function answerReading(ports: Ports, asked: Asked): Promise<Answer | null> {
  const fresh = askReading(ports, asked)
  return await race(ports, fresh, () => keptReading(ports, asked.letter.path))
}

/** The line if it is quick, else the device if it has something, else the line after all. Null: neither. */
async function race(
  ports: Ports,
  fresh: Promise<Answer | null>,
  kept: () => Promise<Answer | null>,
): Promise<Answer | null> {
  const first = await Promise.race([fresh, ports.wait(patienceMs).then(() => null)])
  if (first && first.status < 500 && first.status !== 429) return first
  const own = await kept()
  if (!own) return await fresh
  // Not given up when the screen is served: what comes late still belongs in the rows.
  ports.lasting(fresh)
  return own
}

/** Whose it was when it was last looked at: it mostly still is, so their gate is read beside the session. */
const lastHere = new WeakMap<Device, Session>()

async function whoNow(ports: Ports): Promise<{ session: Session | null; guard: Guard | null }> {
  const device = await ports.device()
  const last = lastHere.get(device)
  const [session, early] = await Promise.all([readSession(device), last && readGate(device.of(last))])
  if (!session || session.signedOut) return { session, guard: null }
  lastHere.set(device, session)
  const db = device.of(session)
  const generation = session.generation === last?.generation ? early : await readGate(db)
  return { session, guard: typeof generation === 'number' ? { db, subject: session, generation } : null }
}

/** Null where the answer is not for the one whose rows these are. A device that knew nobody learns it by the answer. */
async function guardFor(ports: Ports, before: Guard | null, answer: Answer): Promise<Guard | null> {
  const guard = before ?? (await whoNow(ports)).guard
  return guard && answer.headers.get(headers.subject) === subjectOf(guard.subject) ? guard : null
}

async function askList(ports: Ports, asked: Asked, fills: Fills, query: ListQuery): Promise<Answer | null> {
  const { session, guard: before } = await whoNow(ports)
  const answer = await sendSignedIn(ports, asked.letter, asked.endpoint.who, session)
  if (!answer || !isGood(answer)) return answer
  const page = readPage(answer)
  if (!page) return null
  const guard = await guardFor(ports, before, answer)
  if (guard && (await kept(ports, () => storePage(guard.db, fills, query, page, guard.generation))))
    ports.lasting(
      fill(ports, asked, fills, { guard, query, page }).then(() => tidy(ports, fills, { guard, query, page })),
    )
  return answer
}

/** One page in so many has its bucket counted again: a mistake in an index does not stay (protocol 37). */
const provenOnceIn = 50

async function tidy(
  ports: Ports,
  fills: Fills,
  { guard: { db }, query, page }: { guard: Guard; query: ListQuery; page: Page },
): Promise<void> {
  const [row] = page.rows
  if (row && ports.chance() < 1 / provenOnceIn) await proveIndex(db, fills, query.scope, row.id)
  const { trimKept } = await import('#local/room.ts')
  await trimKept(db)
}

/** Whoever asked has the answer whether or not it could be kept; a disk without room is nobody's mistake. */
async function kept(ports: Ports, store: () => Promise<boolean>): Promise<boolean> {
  try {
    return await store()
  } catch (error) {
    if (!isFull(error)) ports.report(error)
    return false
  }
}

type Page = { rows: ServerRow[]; count: number; asOf: number; change: string }

/** Null: not a list of ours (a login page, a gateway's word). */
function readPage(answer: Answer): Page | null {
  const body = jsonOf(answer) as { count?: unknown; data?: unknown } | undefined
  const asOf = Number(answer.headers.get(headers.asOf) ?? Number.NaN)
  if (!Array.isArray(body?.data) || typeof body.count !== 'number' || !Number.isFinite(asOf)) return null
  return { rows: body.data, count: body.count, asOf, change: answer.headers.get(headers.change) ?? '' }
}

/** Brings the whole list here once a page of it was read, and up to date whenever its change number moved. */
async function fill(
  ports: Ports,
  asked: Asked,
  fills: Fills,
  { guard, query, page }: { guard: Guard; query: ListQuery; page: Page },
): Promise<void> {
  const known = await guard.db.fills.get(`${fills.table}|${query.scope ?? ''}`)
  if (page.change === '' || page.count > fillAtMost) return
  if (known && !known.gaps && String(known.upto) === page.change) return
  const since = known ? String(known.upto) : ''
  const answer = await sendSignedIn(ports, { ...asked.letter, path: sincePath(asked, fills, since) })
  if (!answer) return
  // Older than what the server remembers as deleted: begin again (protocol 34).
  if (answer.status === 410) await guard.db.fills.delete(known?.id ?? '')
  const body = isGood(answer) ? (jsonOf(answer) as Partial<Changes> | undefined) : undefined
  const asOf = Number(answer.headers.get(headers.asOf) ?? Number.NaN)
  if (!body?.changed || !body.gone || typeof body.upto !== 'number' || !Number.isFinite(asOf)) return
  if (answer.headers.get(headers.subject) !== subjectOf(guard.subject)) return
  const { changed, gone, upto } = body
  const all = !known
  const { db, generation } = guard
  if (!all || changed.length <= atOnce)
    return void (await kept(ports, () =>
      storeChanges(db, fills, query.scope, { changed, gone, upto, asOf }, { all, generation }),
    ))
  const { inPieces, storeWhole } = await import('#local/whole.ts')
  const pieces = inPieces(changed)
  await kept(ports, () => storeWhole(db, fills, query.scope, { pieces, upto, asOf }, generation))
}

type Changes = { changed: ServerRow[]; gone: number[]; upto: number }

function sincePath({ letter }: Asked, fills: Fills, since: string): string {
  const [pathname = '', search = ''] = letter.path.split('?')
  const pairs = [...new URLSearchParams(search)].filter(([name]) => name === fills.scope?.param)
  return `${pathname}?${new URLSearchParams([...pairs, ['since', since]])}`
}

const pageWords = new Set(['results', 'page', 'sortField', 'sortOrder'])

/** What the address asks for, in the device's words; null where it asks for more than the device knows. */
function readQuery({ endpoint, params, letter }: Asked, fills: Fills): ListQuery | null {
  if (!endpoint.query) return null
  const search = new URLSearchParams(letter.path.split('?')[1] ?? '')
  const { values, repeated } = fromPairs(endpoint.query, search)
  const scopeParam = fills.scope?.param
  const isKnown = (name: string) => pageWords.has(name) || name in fills.filters || name === scopeParam
  if (repeated.length > 0 || !Object.keys(values).every(isKnown)) return null
  const scope = scopeParam ? Number(params[scopeParam] ?? values[scopeParam]) : null
  if (Number.isNaN(scope)) return null
  const field = typeof values.sortField === 'string' ? values.sortField : fills.sort[0]
  const order = String(values.sortOrder ?? (field === fills.sort[0] ? fills.sort[1] : 'asc'))
  return {
    scope,
    filters: Object.fromEntries(
      Object.entries(values).filter(([name]) => name in fills.filters),
    ) as ListQuery['filters'],
    sort: [field, order.startsWith('desc') ? 'desc' : 'asc'],
    page: Number(values.page ?? 1),
    results: Number(values.results ?? 10),
  }
}

async function keptList(ports: Ports, fills: Fills, query: ListQuery): Promise<Answer | null> {
  const view = await readListOn(await ports.device(), fills, query)
  if (view.asOf === null) return null
  return fromDevice({ count: view.count, data: view.rows.map(({ row }) => row) }, view.asOf)
}

async function askReading(ports: Ports, { endpoint, letter }: Asked): Promise<Answer | null> {
  const { session, guard: before } = await whoNow(ports)
  const answer = await sendSignedIn(ports, letter, endpoint.who, session)
  if (!answer || !isGood(answer)) return answer
  if (jsonOf(answer) === undefined) return null
  const guard = await guardFor(ports, before, answer)
  const asOf = Number(answer.headers.get(headers.asOf) ?? ports.clock())
  const reading = { path: letter.path, body: answer.text, asOf }
  if (guard) await kept(ports, () => storeReading(guard.db, reading, guard.generation))
  return answer
}

async function keptReading(ports: Ports, path: string): Promise<Answer | null> {
  const { guard } = await whoNow(ports)
  const reading = await guard?.db.readings.get(path)
  return reading ? fromDevice(JSON.parse(reading.body), reading.asOf) : null
}

const fromDevice = (body: unknown, asOf: number) =>
  ownAnswer(200, body, { [headers.kept]: '1', [headers.asOf]: String(asOf) })
