/**
 * Simulates a device: the real request pipeline and Dexie over a fake IndexedDB, a connection that can be cut, and a manual clock instead
 * of timers. A test can use several as tablets of different users.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import type { Endpoint, VersionedRow } from '#contract/endpoint.ts'
import { type Device, openDevice } from '#local/storage/device.ts'
import { readListOnDevice } from '#local/lists/read-list.ts'
import { readSession } from '#local/session/session.ts'
import { readRowOnDevice } from '#local/lists/read-row.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { countWaiting, readEntries } from '#local/outbox/read-entries.ts'
import { createApi } from '#request/page/api.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { createLockHolders } from '#request/transport/lock-holders.ts'
import { createWebLocks } from '#request/transport/web-locks.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { handleRequest } from '#request/pipeline/pipeline.ts'
import type { ApiClient } from '#request/call-results.ts'
import { signIn, signOut } from '#request/session/sign-in.ts'
import { readAccessCookie } from '#request/session/subject.ts'

export interface Clock {
  now(): number
  wait(ms: number): Promise<void>
  /** Advances the clock and runs everything that becomes due. */
  advance(ms: number): Promise<void>
  countWaiting(): number
}

export function createClock(start = Date.UTC(2026, 4, 4, 8), onAdvance: (now: number) => void = () => {}): Clock {
  let now = start
  let waits: { until: number; resume: () => void }[] = []
  return {
    now: () => now,
    wait: (ms) => new Promise((resume) => waits.push({ until: now + ms, resume })),
    countWaiting: () => waits.length,
    async advance(ms) {
      now += ms
      onAdvance(now)
      const dueWaits = waits.filter(({ until }) => until <= now)
      waits = waits.filter(({ until }) => until > now)
      for (const { resume } of dueWaits) resume()
      await flushEventLoop()
    },
  }
}

/** Runs the event loop, so that all work that waits for no timer is done. */
export async function flushEventLoop(rounds = 30): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((resume) => setImmediate(resume))
}

export interface SentRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | null
}

export interface ReceivedResponse {
  status: number
  headers: Record<string, string | string[]>
  body: string
}

export type ServerTransport = (request: SentRequest) => Promise<ReceivedResponse>

export type ConnectionState =
  | 'up'
  /** No request leaves the device. */
  | 'down'
  /** The server performs the request, but its response is lost. */
  | 'answers lost'
  /** No response and no error ever arrives. */
  | 'hanging'
  /** A captive portal responds: a login page with status 200. */
  | 'captive'

export interface TestConnection {
  state: ConnectionState
  /** Requests and their response status, in order. */
  log: { request: SentRequest; status: number | null }[]
}

export interface Tablet {
  connection: TestConnection
  ports: PagePorts
  api: ApiClient
  device: Device
  cookies: Map<string, string>
  signIn(company: string, username: string, password?: string): ReturnType<typeof signIn>
  signOut(): Promise<void>
  /** Returns the name that the browser uses for a lock of this tablet. */
  lockName(name: string): string
  /** Sends everything that is due, as a trigger does. */
  tick(): Promise<boolean>
  /** Waits for background work of the request pipeline. Throws its errors. */
  settle(): Promise<void>
  /** Number of tasks for which the host, such as a worker, is kept alive. */
  countPendingWork(): number
  /** Restarts the browser: memory is lost, storage and persistent cookies stay. */
  reopen(): void
  /** Deletes the databases; cookies stay. */
  loseStorage(): void
  /** The waiting count as stored in the cookie. */
  readonly tally: string
  readonly badge: number
  list<R extends VersionedRow>(endpoint: Endpoint, query: Partial<ListQuery>): ReturnType<typeof readListOnDevice<R>>
  row: (table: string, id: VersionedRow['id']) => ReturnType<typeof readRowOnDevice>
  countWaiting(): Promise<number>
  entries(): ReturnType<typeof readEntries>
  session(): ReturnType<typeof readSession>
}

const captivePage: ReceivedResponse = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Welcome to our hotel</title>',
}

let tabletCount = 0

export function createTablet(transport: ServerTransport, clock: Clock): Tablet {
  const number = tabletCount++
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const cookies = new Map<string, string>()
  const connection: TestConnection = { state: 'up', log: [] }
  const pendingWork = new Set<Promise<unknown>>()
  const reportedErrors: unknown[] = []
  let device = openDevice(storage)
  let tally = ''
  let badge = 0
  /** Uses a separate prefix, because tablets of other tests in this process use the same lock names. */
  const holders = createLockHolders(`portal-locks ${crypto.randomUUID()}`)

  async function network(fetchRequest: Request): Promise<Response> {
    const request = await toSent(fetchRequest, cookies)
    const entry: TestConnection['log'][number] = { request, status: null }
    connection.log.push(entry)
    if (connection.state === 'down') throw new TypeError('Failed to fetch')
    if (connection.state === 'captive') return toResponse(captivePage)
    if (connection.state === 'hanging') await untilAborted(fetchRequest.signal)
    const response = await transport(request)
    if (connection.state === 'answers lost') throw new TypeError('Failed to fetch')
    entry.status = response.status
    storeCookies(response, cookies)
    return toResponse(response)
  }

  const lockName = (name: string) => `tablet-${number}:${name}`
  const manager = {
    request: ((name: string, options: LockOptions, callback: LockGrantedCallback<unknown>) =>
      navigator.locks.request(lockName(name), options, callback)) as LockManager['request'],
  }
  const ports: PagePorts = {
    network,
    origin: 'http://portal.test',
    build: 'test',
    clock: clock.now,
    wait: clock.wait,
    random: () => 0.5,
    newId: () => crypto.randomUUID(),
    locks: createWebLocks(manager, clock.wait, holders),
    tokenAccess: {
      read: async () => readAccessCookie([...cookies].map(([name, value]) => `${name}=${value}`).join('; ')),
      onRenewed: () => {},
      forget: async () => {
        for (const name of cookies.keys()) if (name.includes('access')) cookies.delete(name)
      },
    },
    device: async () => device,
    keepAlive(work) {
      const pending = work.catch(ports.report).finally(() => pendingWork.delete(pending))
      pendingWork.add(pending)
    },
    unsentCookie: {
      read: async () => tally,
      write: async (text) => void (tally = text),
    },
    badge: (count) => void (badge = count),
    requestWakeup: () => {},
    report: (error) => void reportedErrors.push(error),
    pipeline: (request) => handleRequest(request, ports),
  }
  return {
    connection,
    ports,
    api: createApi(ports),
    get device() {
      return device
    },
    cookies,
    lockName,
    signIn: (company, username, password = 'Portal-demo-1') =>
      signIn(ports, { company, username, password, language: 'en' }),
    signOut: () => signOut(ports),
    tick: () => sendOutbox(ports, { immediate: true }),
    async settle() {
      while (pendingWork.size > 0) await Promise.all(pendingWork)
      if (reportedErrors.length > 0) throw reportedErrors[0]
    },
    countPendingWork: () => pendingWork.size,
    reopen() {
      device = openDevice(storage)
    },
    loseStorage() {
      device = openDevice({ indexedDB: new IDBFactory(), IDBKeyRange })
    },
    get tally() {
      return tally
    },
    get badge() {
      return badge
    },
    list: (endpoint, query) =>
      readListOnDevice(device, requireList(endpoint), { ...buildFirstPage(endpoint), ...query }),
    row: (table, id) => readRowOnDevice(device, table, id),
    countWaiting: () => countWaiting(device),
    entries: () => readEntries(device),
    session: () => readSession(device),
  }
}

function requireList({ list, name }: Endpoint) {
  if (!list) throw new Error(`${name} is no list`)
  return list
}

const buildFirstPage = (endpoint: Endpoint): ListQuery => ({
  scope: null,
  filters: {},
  sort: requireList(endpoint).sort,
  page: 1,
  results: 10,
})

/** Headers that a browser adds to a page's own requests. */
const browserHeaders = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }

export async function toSent(request: Request, cookies: Map<string, string>): Promise<SentRequest> {
  const url = new URL(request.url)
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = {
    ...Object.fromEntries(request.headers),
    ...(cookie ? { cookie } : {}),
    ...browserHeaders,
    host: url.host,
  }
  const body = request.method === 'GET' ? null : await readBody(request)
  return { method: request.method, path: url.pathname + url.search, headers, body: body || null }
}

/** Returns the body as text. The bytes of a form with files become one character each. */
const readBody = async (request: Request) =>
  request.headers.get('content-type')?.startsWith('multipart/')
    ? Buffer.from(await request.arrayBuffer()).toString('latin1')
    : await request.text()

export function toResponse({ status, headers, body }: ReceivedResponse): Response {
  const responseHeaders = new Headers()
  for (const [name, value] of Object.entries(headers))
    if (name !== 'set-cookie') responseHeaders.set(name, String(value))
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: responseHeaders })
}

function storeCookies({ headers }: ReceivedResponse, cookies: Map<string, string>): void {
  const setCookieHeaders = headers['set-cookie'] ?? []
  for (const cookie of Array.isArray(setCookieHeaders) ? setCookieHeaders : [setCookieHeaders]) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '' || /max-age=0(;|$)/i.test(cookie)) cookies.delete(name)
    else cookies.set(name, value)
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
