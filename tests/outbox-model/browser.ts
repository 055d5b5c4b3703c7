/**
 * Simulates a browser with its tabs. Each tab is a process with the real pipeline and the real Dexie. All tabs share one disk, one set of
 * cookies, one set of locks and one connection. A tab can be reloaded, and the browser can be killed, at any commit and any step of a
 * request. The pipeline has no real timers: the test advances the clock.
 */
import '#local/outbox/entry-actions.ts'
import '#local/storage/device.ts'
import '#local/list-index/index-reader.ts'
import '#local/lists/read-indexed-list.ts'
import '#local/outbox/settle-entry.ts'
import '#local/storage/eviction.ts'
import '#local/lists/row-store.ts'
import '#local/seals/sealed-outbox.ts'
import '#local/session/session.ts'
import '#local/lists/store-complete-list.ts'
import '#request/session/unsent-count.ts'
import '#request/writes/sender.ts'
import '#request/writes/direct-call.ts'
import '#request/writes/record-write.ts'
import '#request/jobs/start-job.ts'
import '#request/writes/upload.ts'
import '#request/page/dispatch-write.ts'
import { Dexie } from 'dexie'
import { IDBKeyRange } from 'fake-indexeddb'
import { openDevice } from '#local/storage/device.ts'
import { createApi } from '#request/page/api.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createWebLocks } from '#request/transport/web-locks.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { handleRequest } from '#request/pipeline/pipeline.ts'
import type { ApiClient, OutboxActions } from '#request/call-results.ts'
import { readAccessCookie } from '#request/session/subject.ts'
import { createDisk, type ModelDisk, type KillableProcess } from '#tests/outbox-model/disk.ts'
import { createLocks } from '#tests/outbox-model/locks.ts'
import type {
  Clock,
  ConnectionState,
  ReceivedResponse,
  SentRequest,
  ServerTransport,
} from '#tests/support/device/device.ts'

export interface ModelTab extends KillableProcess {
  ports: PagePorts
  api: ApiClient
  actions: OutboxActions
  /** Number of wake-ups that the tab has requested for the time when the connection is back. */
  wakes: number
  /**
   * Resolved while the tab runs. While it is frozen, it resolves when the tab is thawed. A frozen tab keeps its locks and receives nothing.
   */
  whenThawed: Promise<void>
  freeze(): void
  thaw(): void
}

export interface ModelBrowser {
  disk: ModelDisk
  tabs: ModelTab[]
  connectionState: ConnectionState
  /** Number of steps so far. A step is a commit, a request that is sent, or a response that is ready. */
  steps: number
  /** Step at which the browser is killed, or null. If the step is a request, the request reaches the server later. */
  diesAt: number | null
  /** Returns the names of locks that are held or waited for. */
  listLocks(): string[]
  /** Errors that living tabs have reported. */
  reportedErrors: unknown[]
  reload(tabIndex: number): void
  kill(): void
  /** Delivers the requests that killed tabs had sent and that have not reached the server yet. */
  deliverLate(): Promise<void>
  /** Resolves when no tab does anything any longer, except wait for the clock. */
  waitUntilQuiet(): Promise<void>
  close(): Promise<void>
}

const never = () => new Promise<never>(() => {})
const tabCount = 2
/** `waitUntilQuiet` resolves after this many turns of the event loop without any activity. */
const quietRounds = 12

export function createBrowser(server: ServerTransport, clock: Clock, newId: () => string): ModelBrowser {
  const disk = createDisk()
  const locks = createLocks()
  const cookies = new Map<string, string>()
  const lateRequests: SentRequest[] = []
  const storageEvent = Dexie.on('storagemutated')
  const listenersBefore = new Set(storageEvent.subscribers)
  let moveCount = 0

  /** Counts a step, at which the browser may be killed. Returns true if the tab is dead now. */
  function countStep(tab: ModelTab): boolean {
    moveCount += 1
    if (tab.isDead) return true
    browser.steps += 1
    if (browser.steps === browser.diesAt) browser.kill()
    return tab.isDead
  }
  disk.onCommit = (process) => void countStep(process as ModelTab)

  async function network(tab: ModelTab, request: Request): Promise<Response> {
    const sentRequest = await toSent(request, cookies)
    moveCount += 1
    if (tab.isDead) return await never()
    if (browser.connectionState === 'down') throw new TypeError('Failed to fetch')
    if (browser.connectionState === 'captive') return new Response('<title>Welcome to our hotel</title>', html)
    if (browser.connectionState === 'hanging') return await untilAborted(request.signal)
    if (countStep(tab)) {
      lateRequests.push(sentRequest)
      return await never()
    }
    const response = await server(sentRequest)
    if (countStep(tab)) return await never()
    if (browser.connectionState === 'answers lost') throw new TypeError('Failed to fetch')
    storeCookies(response, cookies)
    return toResponse(response)
  }

  function openTab(): ModelTab {
    const storage = { indexedDB: undefined as unknown as IDBFactory, IDBKeyRange }
    const tab = { isDead: false, wakes: 0, whenThawed: Promise.resolve(), thaw: () => {} } as ModelTab
    storage.indexedDB = disk.createView(tab)
    const device = openDevice(storage)
    const wait = (ms: number) => clock.wait(ms).then(() => tab.whenThawed)
    const ports: PagePorts = {
      network: async (request) => {
        try {
          return await network(tab, request)
        } finally {
          await tab.whenThawed
        }
      },
      origin: 'http://portal.test',
      build: 'test',
      clock: clock.now,
      wait,
      random: () => 0.5,
      newId,
      locks: createWebLocks(locks.createManager(tab), wait),
      tokenAccess: {
        read: async () => readAccessCookie([...cookies].map(([name, value]) => `${name}=${value}`).join('; ')),
        onRenewed: () => {},
        forget: async () => {
          if (!tab.isDead) for (const name of cookies.keys()) if (name.includes('access')) cookies.delete(name)
        },
      },
      device: async () => device,
      keepAlive: (work) => void work.catch(ports.report),
      requestWakeup: () => void (tab.wakes += 1),
      report: (error) => void (tab.isDead || browser.reportedErrors.push(error)),
      pipeline: (request) => handleRequest(request, ports),
    }
    const freeze = () => {
      // If the tab is already frozen, thawing must also resume the work that waits since the earlier freeze.
      const { thaw } = tab
      tab.whenThawed = new Promise((resolve) => {
        tab.thaw = () => {
          thaw()
          resolve()
        }
      })
    }
    return Object.assign(tab, { ports, freeze, api: createApi(ports), actions: createOutboxActions(ports) })
  }

  function endTab(tab: ModelTab): void {
    tab.isDead = true
    disk.forget(tab)
    locks.release()
  }

  const browser: ModelBrowser = {
    disk,
    tabs: [],
    connectionState: 'up',
    steps: 0,
    diesAt: null,
    reportedErrors: [],
    listLocks: locks.listLocks,
    reload(tabIndex) {
      const oldTab = browser.tabs[tabIndex]
      if (oldTab) endTab(oldTab)
      browser.tabs[tabIndex] = openTab()
    },
    kill() {
      for (const tab of browser.tabs) tab.isDead = true
      for (const tab of browser.tabs) endTab(tab)
      browser.tabs = Array.from({ length: tabCount }, openTab)
    },
    async deliverLate() {
      for (const lateRequest of lateRequests.splice(0)) await server(lateRequest)
    },
    async waitUntilQuiet() {
      for (let quietCount = 0, seenMoves = -1, rounds = 0; quietCount < quietRounds; rounds++) {
        if (rounds > 20_000) throw new Error('it never comes to rest')
        await new Promise((resolve) => (pendingCrypto > 0 ? setTimeout(resolve, 1) : setImmediate(resolve)))
        quietCount = seenMoves === moveCount && disk.countOpen() === 0 && pendingCrypto === 0 ? quietCount + 1 : 0
        seenMoves = moveCount
      }
    },
    async close() {
      for (const tab of browser.tabs) endTab(tab)
      // Dexie notifies all live queries of this process about every commit. Queries of dead tabs would run forever and use memory.
      for (const listener of storageEvent.subscribers.slice())
        if (!listenersBefore.has(listener)) storageEvent.unsubscribe(listener as () => void)
    },
  }
  browser.kill()
  return browser
}

const html = { headers: { 'content-type': 'text/html' } }

/** Number of encryption operations that have not ended. They run outside the event loop, so `waitUntilQuiet` must count them. */
let pendingCrypto = 0
for (const name of ['encrypt', 'decrypt', 'importKey'] as const) {
  const operation = crypto.subtle[name].bind(crypto.subtle) as (...args: unknown[]) => Promise<unknown>
  Object.defineProperty(crypto.subtle, name, {
    configurable: true,
    value: async (...args: unknown[]) => {
      pendingCrypto += 1
      try {
        return await operation(...args)
      } finally {
        pendingCrypto -= 1
      }
    },
  })
}

async function toSent(request: Request, cookies: Map<string, string>): Promise<SentRequest> {
  const { pathname, search } = new URL(request.url)
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const body = request.method === 'GET' ? null : (await request.text()) || null
  return {
    method: request.method,
    path: pathname + search,
    headers: { ...Object.fromEntries(request.headers), cookie },
    body,
  }
}

function toResponse({ status, headers, body }: ReceivedResponse): Response {
  const responseHeaders = Object.entries(headers).filter(([name]) => name !== 'set-cookie') as [string, string][]
  return new Response(status === 204 ? null : body, { status, headers: responseHeaders })
}

function storeCookies({ headers }: ReceivedResponse, cookies: Map<string, string>): void {
  for (const cookie of headers['set-cookie'] ?? []) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
