/**
 * Reads one part of what a device needs to work offline, by the same handlers as the pages, so that rows and responses lie where the
 * pages look for them. What the server refuses is noted and the rest goes on; what ends the whole run is thrown (`RunEnded`).
 */
import type { Endpoint, InputOf, Row } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { toWire } from '#contract/http-mapping.ts'
import { localProblem, type Problem, problemStatus, waitOf } from '#contract/problem.ts'
import { rowsIn } from '#local/storage/database.ts'
import { fillId } from '#local/storage/list-ids.ts'
import type { PreparedPart, RunEnd } from '#local/storage/preparation-record.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import { answerList } from '#request/reads/list.ts'
import type { Guard } from '#request/reads/read-context.ts'
import { answerReading } from '#request/reads/response.ts'
import type { Ports } from '#request/ports.ts'
import { isGood, jsonOf, problemOf, type ResponseData } from '#request/transport/transport.ts'

/** Ends a run before its last part. `gone`: its user has left. */
export class RunEnded extends Error {
  readonly end: RunEnd | { kind: 'gone' }
  constructor(end: RunEnd | { kind: 'gone' }) {
    super(end.kind)
    this.end = end
  }
}

export interface PartReader {
  /** Brings a list here, or its changes, and returns its rows. */
  readList<R extends Row>(endpoint: Endpoint, scope: number | null): Promise<PreparedRow<R>[]>
  /** Brings a response here. `changedAt`: server time, epoch ms; a stored response from then on that is not older than `maxAgeMs` is enough. */
  readResponse<E extends Endpoint>(endpoint: E, input: InputOf<E>, freshness?: FreshEnough): Promise<void>
  /** The same of a list with few rows of its own, which has no other sign that it has changed. */
  readDetailList(endpoint: Endpoint, scope: number, freshness: FreshEnough): Promise<void>
  noteProblem(problem: Problem, missing?: number): void
  noteBytes(bytes: number): void
  onProgress(done: number, of: number): void
  /** Throws where its user has stopped it. */
  check(): void
  guard: Guard
  ports: Ports
  signal: AbortSignal | undefined
  /** Server time of the latest response, epoch ms. */
  now(): number
}

export interface PreparedRow<R extends Row> {
  row: R
  /** Server time of the response that brought it, epoch ms. */
  asOf: number
}

export interface FreshEnough {
  changedAt: number
  maxAgeMs: number
}

export interface PartResult {
  missing: number
  problem: Problem | null
  bytes: number
  lists: string[]
  path: string | null
  isTransient: boolean
}

export interface PartReaderOptions {
  ports: Ports
  guard: Guard
  signal: AbortSignal | undefined
  onProgress: (done: number, of: number) => void
}

/** A company's requests are limited: so often and so long the next one waits for its turn. */
const maxTurns = 10
const maxTurnSeconds = 60

export function createPartReader({ ports, guard, signal, onProgress }: PartReaderOptions): {
  reader: PartReader
  result: PartResult
} {
  const { db, generation } = guard
  const result: PartResult = { missing: 0, problem: null, bytes: 0, lists: [], path: null, isTransient: false }
  let now = ports.clock()

  const noteProblem = (problem: Problem, missing = 1) => {
    result.missing += missing
    result.problem ??= problem
    result.isTransient ||= problem.status === 0 || problem.status >= 500 || problem.status === 429
  }
  const check = () => {
    if (signal?.aborted) throw new RunEnded({ kind: 'stopped' })
  }

  /** Null: there is nothing of it, or the server refused it. */
  async function ask(endpoint: Endpoint, input: Input): Promise<ResponseData | null> {
    for (let turn = 0; ; turn++) {
      check()
      const response = await readNow(ports, endpoint, input)
      if (!response) throw new RunEnded({ kind: 'problem', problem: localProblem('OFFLINE') })
      if (isGood(response)) {
        now = Number(response.headers.get(headers.asOf) ?? now)
        return response
      }
      if (response.status === 401) throw new RunEnded({ kind: 'gone' })
      const problem = problemOf(response)
      // A page that shows nothing of it online shows nothing of it offline.
      if (problem.status === 404) return null
      const seconds = waitOf(problem)
      if (seconds === null || seconds > maxTurnSeconds || turn >= maxTurns) {
        noteProblem(problem)
        return null
      }
      await Promise.race([ports.wait(seconds * 1_000), aborted(signal)])
    }
  }

  /** A full disk refuses in silence what a page only reads. */
  async function failToStore(): Promise<never> {
    if ((await readGate(db)) !== generation) throw new RunEnded({ kind: 'gone' })
    throw new RunEnded({ kind: 'no space', free: null, needed: 0 })
  }

  /** Whether the list is here as of a response that comes now. */
  async function isCurrent(endpoint: Endpoint, scope: number | null): Promise<boolean | { count: number }> {
    const table = getTable(endpoint)
    const response = await ask(endpoint, listInput(endpoint, scope, emptyPage))
    if (!response) return false
    const { count } = jsonOf(response) as { count: number }
    const asOf = Number(response.headers.get(headers.asOf))
    const point = await db.syncPoints.get(fillId(table, scope))
    if (!point || point.asOf < asOf) return { count }
    result.lists.push(point.id)
    if (point.gaps) noteProblem(localProblem('UNREADABLE_ANSWER'))
    return true
  }

  async function fetchList(endpoint: Endpoint, scope: number | null): Promise<void> {
    // Once more where its changes got lost on their way.
    let current = await isCurrent(endpoint, scope)
    if (typeof current === 'object') current = await isCurrent(endpoint, scope)
    if (typeof current === 'object') await fetchPages(endpoint, scope, current.count)
  }

  /** Of a list that is too long to be kept whole, or whose disk is full. */
  async function fetchPages(endpoint: Endpoint, scope: number | null, count: number): Promise<void> {
    const table = getTable(endpoint)
    const pages = Math.min(maxPages, Math.ceil(count / rowsInPage))
    for (let page = 1; page <= pages; page++) {
      const response = await ask(endpoint, listInput(endpoint, scope, { results: rowsInPage, page }))
      if (!response) return
      if ((await rowsIn(db, table, scope).count()) === 0) return await failToStore()
    }
    if (pages === 0) return await failToStore()
    noteProblem(notAttempted, Math.max(1, count - pages * rowsInPage))
  }

  async function addListBytes(table: string, scope: number | null): Promise<void> {
    result.bytes += (await db.listStats.get(fillId(table, scope)))?.bytes ?? 0
  }

  const reader: PartReader = {
    async readList<R extends Row>(endpoint: Endpoint, scope: number | null) {
      await fetchList(endpoint, scope)
      const table = getTable(endpoint)
      await addListBytes(table, scope)
      const stored: StoredRow[] = await rowsIn(db, table, scope).toArray()
      return stored.map(({ row, asOf }) => ({ row: row as unknown as R, asOf }))
    },
    async readResponse(endpoint, input, freshness) {
      check()
      const { path } = toWire(endpoint as Endpoint, input as never)
      result.path ??= path
      const stored = freshness && (await db.responses.get(path))
      if (stored && isFreshEnough(stored.asOf, freshness, now)) return void (result.bytes += stored.body.length)
      const response = await ask(endpoint, input as Input)
      if (!response) return
      const after = await db.responses.get(path)
      if (!after || after.asOf < Number(response.headers.get(headers.asOf) ?? 0)) return await failToStore()
      result.bytes += after.body.length
    },
    async readDetailList(endpoint, scope, freshness) {
      check()
      const table = getTable(endpoint)
      const id = fillId(table, scope)
      const point = await db.syncPoints.get(id)
      if (point && !point.gaps && isFreshEnough(point.asOf, freshness, now)) result.lists.push(id)
      else await fetchList(endpoint, scope)
      await addListBytes(table, scope)
    },
    noteProblem,
    noteBytes: (bytes) => void (result.bytes += bytes),
    onProgress,
    check,
    guard,
    ports,
    signal,
    now: () => now,
  }
  return { reader, result }
}

type Input = { params?: Record<string, unknown>; query?: Record<string, unknown> }

const isFreshEnough = (asOf: number, { changedAt, maxAgeMs }: FreshEnough, now: number) =>
  asOf >= changedAt && now - asOf < maxAgeMs

/** A list comes as its changes: of a page only the change number is of use, and a row that came again would look changed. */
const emptyPage = { results: 1, page: 1_000_000 }
const rowsInPage = 50
const maxPages = 10

/** More than are brought here: a page that is opened online is stored as ever. Said in words of its own. */
export const notAttempted: Problem = { ...localProblem('NOT_ATTEMPTED'), status: problemStatus.NOT_ATTEMPTED }

function getTable({ list, name }: Endpoint): string {
  if (!list) throw new Error(`${name} is no list`)
  return list.table
}

function listInput({ path, list }: Endpoint, scope: number | null, page: { results: number; page: number }): Input {
  const param = list?.scope?.param
  if (param === undefined) return { query: page }
  return path.includes(`:${param}`)
    ? { params: { [param]: scope }, query: page }
    : { query: { ...page, [param]: scope } }
}

/** Null: there is no connection. Resolves when all is stored that the handler would have left to its host. */
async function readNow(ports: Ports, endpoint: Endpoint, input: Input): Promise<ResponseData | null> {
  const pending: Promise<unknown>[] = []
  const waiting: Ports = { ...ports, lasting: (work) => void pending.push(work.catch(ports.report)) }
  const params = Object.fromEntries(Object.entries(input.params ?? {}).map(([name, value]) => [name, String(value)]))
  const letter = { method: 'GET', path: toWire(endpoint, input as never).path, headers: {}, body: null }
  const request = { endpoint, params, letter }
  const response = await (endpoint.list ? answerList(waiting, request, endpoint.list) : answerReading(waiting, request))
  let late: ResponseData | null = null
  for (let work = pending.shift(); work; work = pending.shift()) {
    const ended = await work
    if (isResponse(ended)) late = ended
  }
  // The device answered because the server was slow or failed: what it said in the end is what counts.
  return response?.headers.has(headers.kept) ? late : response
}

const isResponse = (value: unknown): value is ResponseData =>
  typeof value === 'object' && value !== null && 'status' in value && 'text' in value

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))

/** As it is noted of a part. */
export const toPreparedPart = (
  { missing, problem, bytes, lists, path, isTransient }: PartResult,
  { now, asOf, generation }: { now: number; asOf: number; generation: number },
): PreparedPart => ({
  completedAt: isTransient ? null : now,
  asOf,
  generation,
  bytes,
  missing,
  problem,
  lists,
  path,
})
