/**
 * A device in the test's hand: the real pipeline and the real Dexie over a fake IndexedDB, a line that can be cut, a
 * clock that is turned, and no timers of its own. Several can stand side by side, as different people's tablets.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import type { Endpoint, Row } from '#contract/endpoint.ts'
import { type Device, openDevice } from '#local/storage/device.ts'
import { readListOn } from '#local/lists/read-list.ts'
import { readSession } from '#local/session/session.ts'
import { readRowOn } from '#local/lists/read-row.ts'
import type { ListQuery } from '#local/lists/list-view.ts'
import { countWaiting, readEntries } from '#local/outbox/read-entries.ts'
import { createApi } from '#request/page/api.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { createLockHolders } from '#request/transport/lock-holders.ts'
import { webLocks } from '#request/transport/web-locks.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { handle } from '#request/pipeline/pipeline.ts'
import type { Api } from '#request/results.ts'
import { signIn, signOut } from '#request/session/sign-in.ts'
import { accessFrom } from '#request/session/subject.ts'

export interface Clock {
  now(): number
  /** Resolves when the clock has been turned that far. */
  wait(ms: number): Promise<void>
  /** Turns the clock, and lets everything happen that this sets off. */
  turn(ms: number): Promise<void>
  /** How many wait on it. */
  waiting(): number
}

export function createClock(start = Date.UTC(2026, 4, 4, 8), turned: (now: number) => void = () => {}): Clock {
  let now = start
  let waiting: { until: number; go: () => void }[] = []
  return {
    now: () => now,
    wait: (ms) => new Promise((go) => waiting.push({ until: now + ms, go })),
    waiting: () => waiting.length,
    async turn(ms) {
      now += ms
      turned(now)
      const due = waiting.filter(({ until }) => until <= now)
      waiting = waiting.filter(({ until }) => until > now)
      for (const { go } of due) go()
      await breathe()
    },
  }
}

/** Lets the event loop go round, so that what can happen without time has happened. */
export async function breathe(rounds = 30): Promise<void> {
  for (let round = 0; round < rounds; round++) await new Promise((go) => setImmediate(go))
}

export interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body: string | null
}

export interface Received {
  status: number
  headers: Record<string, string | string[]>
  body: string
}

/** Whatever answers at the other end. */
export type Server = (sent: Sent) => Promise<Received>

export type LineState =
  | 'up'
  /** Nothing leaves. */
  | 'down'
  /** The server does it, the answer never arrives. */
  | 'answers lost'
  /** Nothing ever comes back, and no error either. */
  | 'hanging'
  /** Something in between answers: a login page with status 200. */
  | 'captive'

export interface Line {
  state: LineState
  /** What left the device and what came back, in order. */
  log: { sent: Sent; status: number | null }[]
}

export interface Tablet {
  line: Line
  ports: PagePorts
  api: Api
  device: Device
  cookies: Map<string, string>
  signIn(company: string, username: string, password?: string): ReturnType<typeof signIn>
  signOut(): Promise<void>
  /** What the browser calls a lock of this tablet. */
  lockName(name: string): string
  /** What a trigger does: everything that may go is sent. */
  tick(): Promise<boolean>
  /** Waits for what the request pipeline began and did not wait for; throws what it had to report. */
  rest(): Promise<void>
  /** How many things the host (a worker, above all) is asked to stay alive for. */
  staysFor(): number
  /** The browser is closed and opened again: memory is gone, storage and persistent cookies stay. */
  reopen(): void
  /** The browser takes the databases away; cookies stay. */
  loseStorage(): void
  /** What the cookie says of waiting writes, and the figure on the app's icon. */
  readonly tally: string
  readonly badge: number
  list<R extends Row>(endpoint: Endpoint, query: Partial<ListQuery>): ReturnType<typeof readListOn<R>>
  row: (table: string, id: Row['id']) => ReturnType<typeof readRowOn>
  waiting(): Promise<number>
  entries(): ReturnType<typeof readEntries>
  session(): ReturnType<typeof readSession>
}

const captivePage: Received = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: '<!doctype html><title>Welcome to our hotel</title>',
}

let made = 0

export function createTablet(server: Server, clock: Clock): Tablet {
  const number = made++
  const storage = { indexedDB: new IDBFactory(), IDBKeyRange }
  const cookies = new Map<string, string>()
  const line: Line = { state: 'up', log: [] }
  const begun = new Set<Promise<unknown>>()
  const mistakes: unknown[] = []
  let device = openDevice(storage)
  let tally = ''
  let badge = 0
  /** Its own: tablets of other tests in this process hold locks of the same names. */
  const holders = createLockHolders(`portal-locks ${crypto.randomUUID()}`)

  async function network(request: Request): Promise<Response> {
    const sent = await toSent(request, cookies)
    const entry: Line['log'][number] = { sent, status: null }
    line.log.push(entry)
    if (line.state === 'down') throw new TypeError('Failed to fetch')
    if (line.state === 'captive') return toResponse(captivePage)
    if (line.state === 'hanging') await untilAborted(request.signal)
    const received = await server(sent)
    if (line.state === 'answers lost') throw new TypeError('Failed to fetch')
    entry.status = received.status
    keepCookies(received, cookies)
    return toResponse(received)
  }

  const lockName = (name: string) => `tablet-${number}:${name}`
  const manager = {
    request: ((name: string, options: LockOptions, act: LockGrantedCallback<unknown>) =>
      navigator.locks.request(lockName(name), options, act)) as LockManager['request'],
  }
  const ports: PagePorts = {
    network,
    origin: 'http://portal.test',
    build: 'test',
    clock: clock.now,
    wait: clock.wait,
    chance: () => 0.5,
    newId: () => crypto.randomUUID(),
    locks: webLocks(manager, clock.wait, holders),
    access: {
      read: async () => accessFrom([...cookies].map(([name, value]) => `${name}=${value}`).join('; ')),
      renewed: () => {},
      forget: async () => {
        for (const name of cookies.keys()) if (name.includes('access')) cookies.delete(name)
      },
    },
    device: async () => device,
    lasting(work) {
      const ended = work.catch(ports.report).finally(() => begun.delete(ended))
      begun.add(ended)
    },
    tally: {
      read: async () => tally,
      write: async (text) => void (tally = text),
    },
    badge: (count) => void (badge = count),
    wakeLater: () => {},
    report: (error) => void mistakes.push(error),
    pipeline: (request) => handle(request, ports),
  }
  return {
    line,
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
    tick: () => sendOutbox(ports, { hurry: true }),
    async rest() {
      while (begun.size > 0) await Promise.all(begun)
      if (mistakes.length > 0) throw mistakes[0]
    },
    staysFor: () => begun.size,
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
    list: (endpoint, query) => readListOn(device, listed(endpoint), { ...firstPage(endpoint), ...query }),
    row: (table, id) => readRowOn(device, table, id),
    waiting: () => countWaiting(device),
    entries: () => readEntries(device),
    session: () => readSession(device),
  }
}

function listed({ list, name }: Endpoint) {
  if (!list) throw new Error(`${name} is no list`)
  return list
}

const firstPage = (endpoint: Endpoint): ListQuery => ({
  scope: null,
  filters: {},
  sort: listed(endpoint).sort,
  page: 1,
  results: 10,
})

/** What a browser says by itself about a page's own requests. */
const byBrowser = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }

export async function toSent(request: Request, cookies: Map<string, string>): Promise<Sent> {
  const url = new URL(request.url)
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = {
    ...Object.fromEntries(request.headers),
    ...(cookie ? { cookie } : {}),
    ...byBrowser,
    host: url.host,
  }
  const body = request.method === 'GET' ? null : await textOf(request)
  return { method: request.method, path: url.pathname + url.search, headers, body: body || null }
}

/** Bytes of a file as one sign each. */
const textOf = async (request: Request) =>
  request.headers.get('content-type')?.startsWith('multipart/')
    ? Buffer.from(await request.arrayBuffer()).toString('latin1')
    : await request.text()

export function toResponse({ status, headers, body }: Received): Response {
  const given = new Headers()
  for (const [name, value] of Object.entries(headers)) if (name !== 'set-cookie') given.set(name, String(value))
  return new Response(status === 204 || status === 304 ? null : body, { status, headers: given })
}

function keepCookies({ headers }: Received, cookies: Map<string, string>): void {
  const given = headers['set-cookie'] ?? []
  for (const cookie of Array.isArray(given) ? given : [given]) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '' || /max-age=0(;|$)/i.test(cookie)) cookies.delete(name)
    else cookies.set(name, value)
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))
