/**
 * Reads one part of the data that a device needs offline. Uses the same handlers as the pages, so that rows and responses are stored where
 * the pages read them. A refusal of the server is noted and the rest continues; an error that ends the run is thrown (`RunEndedError`).
 */
import type { Endpoint, InputOf, VersionedRow } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { createLocalProblem, type Problem, problemStatus, getRetrySeconds } from '#contract/problem.ts'
import { getListRows } from '#local/storage/database.ts'
import { toListId } from '#local/storage/list-ids.ts'
import type { PreparedPart, PreparationEnd } from '#local/storage/preparation-record.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { StoredRow } from '#local/storage/cache-records.ts'
import { handleList } from '#request/reads/list.ts'
import type { SessionGuard } from '#request/reads/read-context.ts'
import { handleSingleResponse } from '#request/reads/single-response.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { isSuccess, parseJson, toProblem, type ResponseData, readAsOf } from '#request/transport/send-request.ts'

export class RunEndedError extends Error {
  readonly end: PreparationEnd | { kind: 'gone' }
  constructor(end: PreparationEnd | { kind: 'gone' }) {
    super(end.kind)
    this.end = end
  }
}

export interface PartReader extends PartReaderOptions {
  readList<R extends VersionedRow>(endpoint: Endpoint, scope: number | null): Promise<PreparedRow<R>[]>
  /** Fetches a response, except if the stored one is newer than `changedAt` (epoch ms) and not older than `maxAgeMs`. */
  readResponse<E extends Endpoint>(endpoint: E, input: InputOf<E>, freshness?: FreshnessLimit): Promise<void>
  /** Fetches a short list that belongs to one record, with the same exception. Its own changes cannot be detected without a request. */
  readDetailList(endpoint: Endpoint, scope: number, freshness: FreshnessLimit): Promise<void>
  noteProblem(problem: Problem, missingCount?: number): void
  noteBytes(bytes: number): void
  /** Throws if the user has stopped the run. */
  check(): void
  /** Server time of the latest response (epoch ms). */
  now(): number
}

export interface PreparedRow<R extends VersionedRow> {
  row: R
  /** Server time of the response that brought the row (epoch ms). */
  asOf: number
}

export interface FreshnessLimit {
  changedAt: number
  maxAgeMs: number
}

export interface PartResult {
  missingCount: number
  problem: Problem | null
  bytes: number
  lists: string[]
  path: string | null
  isTransient: boolean
}

export interface PartReaderOptions {
  ports: PipelinePorts
  guard: SessionGuard
  signal: AbortSignal | undefined
  onProgress: (doneCount: number, total: number) => void
}

/** Limits of waiting, because requests per company are limited: number of retries of a request, and longest wait before one. */
const maxTurns = 10
const maxTurnSeconds = 60

export function createPartReader(options: PartReaderOptions): { reader: PartReader; result: PartResult } {
  const { ports, signal, guard } = options
  const { db, generation } = guard
  const result: PartResult = { missingCount: 0, problem: null, bytes: 0, lists: [], path: null, isTransient: false }
  let now = ports.clock()

  const noteProblem = (problem: Problem, missingCount = 1) => {
    result.missingCount += missingCount
    result.problem ??= problem
    result.isTransient ||= problem.status === 0 || problem.status >= 500 || problem.status === 429
  }
  /** Returns null if the record does not exist, or the server refused the request. */
  async function requestResponse(endpoint: Endpoint, input: CallInput): Promise<ResponseData | null> {
    const response = await requestInTurn(options, endpoint, input)
    if (isSuccess(response)) {
      now = readAsOf(response, now)
      return response
    }
    // With a 404 the page shows nothing online either, so nothing is missing offline.
    if (response.status !== 404) noteProblem(toProblem(response))
    return null
  }

  /**
   * Throws the reason why a response was not stored: the session has changed, or the disk is full. The handlers do not report a full disk.
   */
  async function failToStore(): Promise<never> {
    if ((await readSessionGeneration(db)) !== generation) throw new RunEndedError({ kind: 'gone' })
    throw new RunEndedError({ kind: 'no space', free: null, needed: 0 })
  }

  /** Returns the number of rows if the stored list is outdated. Null if it is current, or the server refused. */
  async function countIfOutdated(endpoint: Endpoint, scope: number | null): Promise<number | null> {
    const table = getTable(endpoint)
    const response = await requestResponse(endpoint, listInput(endpoint, scope, emptyPage))
    if (!response) return null
    const asOf = readAsOf(response)
    const syncPoint = await db.syncPoints.get(toListId(table, scope))
    if (!syncPoint || syncPoint.asOf < asOf) return (parseJson(response) as { count: number }).count
    result.lists.push(syncPoint.id)
    if (syncPoint.gaps) noteProblem(createLocalProblem('UNREADABLE_ANSWER'))
    return null
  }

  async function fetchList(endpoint: Endpoint, scope: number | null): Promise<void> {
    // Checked twice, because the background request for the list's changes may have failed the first time.
    let count = await countIfOutdated(endpoint, scope)
    if (count !== null) count = await countIfOutdated(endpoint, scope)
    if (count !== null) await fetchPages(endpoint, scope, count)
  }

  async function fetchPages(endpoint: Endpoint, scope: number | null, count: number): Promise<void> {
    const table = getTable(endpoint)
    const pages = Math.min(maxPages, Math.ceil(count / rowsPerPage))
    for (let page = 1; page <= pages; page++) {
      const response = await requestResponse(endpoint, listInput(endpoint, scope, { results: rowsPerPage, page }))
      if (!response) return
      if ((await getListRows(db, table, scope).count()) === 0) return await failToStore()
    }
    if (pages === 0) return await failToStore()
    noteProblem(notAttemptedProblem, Math.max(1, count - pages * rowsPerPage))
  }

  async function addListBytes(id: string): Promise<void> {
    result.bytes += (await db.listStats.get(id))?.bytes ?? 0
  }

  const reader: PartReader = {
    ...options,
    async readList<R extends VersionedRow>(endpoint: Endpoint, scope: number | null) {
      await fetchList(endpoint, scope)
      const table = getTable(endpoint)
      await addListBytes(toListId(table, scope))
      const storedRows: StoredRow[] = await getListRows(db, table, scope).toArray()
      return storedRows.map(({ row, asOf }) => ({ row: row as unknown as R, asOf }))
    },
    async readResponse(endpoint, input, freshness) {
      throwIfStopped(signal)
      const { path } = toHttpRequest(endpoint as Endpoint, input as never)
      result.path ??= path
      const cachedResponse = freshness && (await db.responses.get(path))
      if (cachedResponse && isFreshEnough(cachedResponse.asOf, freshness, now))
        return void (result.bytes += cachedResponse.body.length)
      const response = await requestResponse(endpoint, input as CallInput)
      if (!response) return
      const newCachedResponse = await db.responses.get(path)
      if (!newCachedResponse || newCachedResponse.asOf < readAsOf(response, 0)) return await failToStore()
      result.bytes += newCachedResponse.body.length
    },
    async readDetailList(endpoint, scope, freshness) {
      throwIfStopped(signal)
      const id = toListId(getTable(endpoint), scope)
      const syncPoint = await db.syncPoints.get(id)
      if (syncPoint && !syncPoint.gaps && isFreshEnough(syncPoint.asOf, freshness, now)) result.lists.push(id)
      else await fetchList(endpoint, scope)
      await addListBytes(id)
    },
    noteProblem,
    noteBytes: (bytes) => void (result.bytes += bytes),
    check: () => throwIfStopped(signal),
    now: () => now,
  }
  return { reader, result }
}

function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new RunEndedError({ kind: 'stopped' })
}

/** Repeats the request after a wait while requests of the company are limited. Throws if there is no connection or session. */
async function requestInTurn(
  { ports, signal }: PartReaderOptions,
  endpoint: Endpoint,
  input: CallInput,
): Promise<ResponseData> {
  for (let attempt = 0; ; attempt++) {
    throwIfStopped(signal)
    const response = await readNow(ports, endpoint, input)
    if (!response) throw new RunEndedError({ kind: 'problem', problem: createLocalProblem('OFFLINE') })
    if (response.status === 401) throw new RunEndedError({ kind: 'gone' })
    const seconds = isSuccess(response) ? null : getRetrySeconds(toProblem(response))
    if (seconds === null || seconds > maxTurnSeconds || attempt >= maxTurns) return response
    await Promise.race([ports.wait(seconds * 1_000), waitForAbort(signal)])
  }
}

type CallInput = { params?: Record<string, unknown>; query?: Record<string, unknown> }

const isFreshEnough = (asOf: number, { changedAt, maxAgeMs }: FreshnessLimit, now: number) =>
  asOf >= changedAt && now - asOf < maxAgeMs

/**
 * Query of a page after the last one, because only the change number of the response is needed. A row in the response would get a new time,
 * so its details would be fetched again.
 */
const emptyPage = { results: 1, page: 1_000_000 }
const rowsPerPage = 50
const maxPages = 10

/** Problem of rows beyond the limit of this preparation. If a user opens their page online, they are still stored as usual. */
export const notAttemptedProblem: Problem = {
  ...createLocalProblem('NOT_ATTEMPTED'),
  status: problemStatus.NOT_ATTEMPTED,
}

function getTable({ list, name }: Endpoint): string {
  if (!list) throw new Error(`${name} is not the call of a list`)
  return list.table
}

function listInput({ path, list }: Endpoint, scope: number | null, page: { results: number; page: number }): CallInput {
  const scopeParam = list?.scope?.param
  if (scopeParam === undefined) return { query: page }
  return path.includes(`:${scopeParam}`)
    ? { params: { [scopeParam]: scope }, query: page }
    : { query: { ...page, [scopeParam]: scope } }
}

/** Returns null if there is no connection. Resolves when everything is stored, including work that the handler left to `keepAlive`. */
async function readNow(ports: PipelinePorts, endpoint: Endpoint, input: CallInput): Promise<ResponseData | null> {
  const pendingWork: Promise<unknown>[] = []
  const waitingPorts: PipelinePorts = {
    ...ports,
    keepAlive: (promise) => void pendingWork.push(promise.catch(ports.report)),
  }
  const params = Object.fromEntries(Object.entries(input.params ?? {}).map(([name, value]) => [name, String(value)]))
  const request = { method: 'GET', path: toHttpRequest(endpoint, input as never).path, headers: {}, body: null }
  const endpointCall = { endpoint, params, request }
  const response = await (endpoint.list
    ? handleList(waitingPorts, endpointCall, endpoint.list)
    : handleSingleResponse(waitingPorts, endpointCall))
  let lateResponse: ResponseData | null = null
  for (let pendingPromise = pendingWork.shift(); pendingPromise; pendingPromise = pendingWork.shift()) {
    const result = await pendingPromise
    if (isResponse(result)) lateResponse = result
  }
  // A response with this header came from the device, because the server was slow or failed. Only the late response of the server is used.
  return response?.headers.has(headers.storedResponse) ? lateResponse : response
}

const isResponse = (value: unknown): value is ResponseData =>
  typeof value === 'object' && value !== null && 'status' in value && 'text' in value

const waitForAbort = (signal: AbortSignal | undefined) =>
  new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))

export const toPreparedPart = (
  { missingCount, problem, bytes, lists, path, isTransient }: PartResult,
  { now, asOf, generation }: { now: number; asOf: number; generation: number },
): PreparedPart => ({
  completedAt: isTransient ? null : now,
  asOf,
  generation,
  bytes,
  missing: missingCount,
  problem,
  lists,
  path,
})
