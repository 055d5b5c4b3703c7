/**
 * One browser with its tabs: each a process of its own with the real pipeline and the real Dexie, all over one disk, one
 * jar of cookies, one set of locks, one line. A tab can be reloaded, the browser killed, at any commit and at any step of
 * a request. Nothing here has a timer: the clock is turned.
 */
import '#local/outbox/user-actions.ts'
import '#local/storage/device.ts'
import '#local/list-index/index-reader.ts'
import '#local/lists/read-indexed-list.ts'
import '#local/outbox/settle.ts'
import '#local/storage/eviction.ts'
import '#local/lists/row-store.ts'
import '#local/seals/sealed-outbox.ts'
import '#local/session/session.ts'
import '#local/lists/bulk-load.ts'
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
import { webLocks } from '#request/transport/web-locks.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { handle } from '#request/pipeline/pipeline.ts'
import type { Api, OutboxActions } from '#request/results.ts'
import { accessFrom } from '#request/session/subject.ts'
import { createDisk, type Disk, type Mortal } from '#tests/outbox-model/disk.ts'
import { createLocks } from '#tests/outbox-model/locks.ts'
import type { Clock, LineState, Received, Sent, Server } from '#tests/support/device/device.ts'

export interface Tab extends Mortal {
  ports: PagePorts
  api: Api
  desk: OutboxActions
  /** How often it asked to be woken when the line is back. */
  wakes: number
  /** Resolves at once, or, while the tab is frozen, when it is thawed: it keeps its locks and hears nothing. */
  thawed: Promise<void>
  freeze(): void
  thaw(): void
}

export interface Browser {
  disk: Disk
  tabs: Tab[]
  line: LineState
  /** Steps so far: commits, requests that left, answers that were ready. */
  steps: number
  /** At this step the browser is killed; its request, if it is one, reaches the server after all, but late. */
  diesAt: number | null
  /** Locks that are held or waited for. */
  locked(): string[]
  /** What a tab had to report. */
  mistakes: unknown[]
  reload(at: number): void
  kill(): void
  /** Requests of the dead that were still under way arrive. */
  deliverLate(): Promise<void>
  /** Resolves when nothing moves any more, but for what waits on the clock. */
  calm(): Promise<void>
  close(): Promise<void>
}

const never = () => new Promise<never>(() => {})
const tabsOpen = 2
/** Turns of the event loop in which nothing moved. */
const quietRounds = 12

export function createBrowser(server: Server, clock: Clock, newId: () => string): Browser {
  const disk = createDisk()
  const locks = createLocks()
  const cookies = new Map<string, string>()
  const late: Sent[] = []
  const told = Dexie.on('storagemutated')
  const toldBefore = new Set(told.subscribers)
  let moves = 0

  /** True: dead, now or before. */
  function step(tab: Tab): boolean {
    moves += 1
    if (tab.isDead) return true
    browser.steps += 1
    if (browser.steps === browser.diesAt) browser.kill()
    return tab.isDead
  }
  disk.onCommit = (process) => void step(process as Tab)

  async function network(tab: Tab, request: Request): Promise<Response> {
    const sent = await toSent(request, cookies)
    moves += 1
    if (tab.isDead) return await never()
    if (browser.line === 'down') throw new TypeError('Failed to fetch')
    if (browser.line === 'captive') return new Response('<title>Welcome to our hotel</title>', html)
    if (browser.line === 'hanging') return await untilAborted(request.signal)
    if (step(tab)) {
      late.push(sent)
      return await never()
    }
    const received = await server(sent)
    if (step(tab)) return await never()
    if (browser.line === 'answers lost') throw new TypeError('Failed to fetch')
    keepCookies(received, cookies)
    return toResponse(received)
  }

  function openTab(): Tab {
    const storage = { indexedDB: undefined as unknown as IDBFactory, IDBKeyRange }
    const tab = { isDead: false, wakes: 0, thawed: Promise.resolve(), thaw: () => {} } as Tab
    storage.indexedDB = disk.viewFor(tab)
    const device = openDevice(storage)
    const wait = (ms: number) => clock.wait(ms).then(() => tab.thawed)
    const ports: PagePorts = {
      network: async (request) => {
        try {
          return await network(tab, request)
        } finally {
          await tab.thawed
        }
      },
      origin: 'http://portal.test',
      build: 'test',
      clock: clock.now,
      wait,
      chance: () => 0.5,
      newId,
      locks: webLocks(locks.managerFor(tab), wait),
      access: {
        read: async () => accessFrom([...cookies].map(([name, value]) => `${name}=${value}`).join('; ')),
        renewed: () => {},
        forget: async () => {
          if (!tab.isDead) for (const name of cookies.keys()) if (name.includes('access')) cookies.delete(name)
        },
      },
      device: async () => device,
      lasting: (work) => void work.catch(ports.report),
      wakeLater: () => void (tab.wakes += 1),
      report: (error) => void (tab.isDead || browser.mistakes.push(error)),
      pipeline: (request) => handle(request, ports),
    }
    const freeze = () => {
      // Whoever waits since it was frozen before is thawed along.
      const { thaw } = tab
      tab.thawed = new Promise((go) => {
        tab.thaw = () => {
          thaw()
          go()
        }
      })
    }
    return Object.assign(tab, { ports, freeze, api: createApi(ports), desk: createOutboxActions(ports) })
  }

  function end(tab: Tab): void {
    tab.isDead = true
    disk.forget(tab)
    locks.release()
  }

  const browser: Browser = {
    disk,
    tabs: [],
    line: 'up',
    steps: 0,
    diesAt: null,
    mistakes: [],
    locked: locks.taken,
    reload(at) {
      const old = browser.tabs[at]
      if (old) end(old)
      browser.tabs[at] = openTab()
    },
    kill() {
      for (const tab of browser.tabs) tab.isDead = true
      for (const tab of browser.tabs) end(tab)
      browser.tabs = Array.from({ length: tabsOpen }, openTab)
    },
    async deliverLate() {
      for (const sent of late.splice(0)) await server(sent)
    },
    async calm() {
      for (let quiet = 0, seen = -1, rounds = 0; quiet < quietRounds; rounds++) {
        if (rounds > 20_000) throw new Error('it never comes to rest')
        await new Promise((go) => (sealing > 0 ? setTimeout(go, 1) : setImmediate(go)))
        quiet = seen === moves && disk.open() === 0 && sealing === 0 ? quiet + 1 : 0
        seen = moves
      }
    },
    async close() {
      for (const tab of browser.tabs) end(tab)
      // Dexie tells every live query of this process of every commit: those of the dead would be asked for ever, and keep
      // all that was theirs.
      for (const listener of told.subscribers.slice())
        if (!toldBefore.has(listener)) told.unsubscribe(listener as () => void)
    },
  }
  browser.kill()
  return browser
}

const html = { headers: { 'content-type': 'text/html' } }

/** Ciphers work beside the event loop, so that nobody sees from here when they are done. */
let sealing = 0
for (const name of ['encrypt', 'decrypt', 'importKey'] as const) {
  const act = crypto.subtle[name].bind(crypto.subtle) as (...args: unknown[]) => Promise<unknown>
  Object.defineProperty(crypto.subtle, name, {
    configurable: true,
    value: async (...args: unknown[]) => {
      sealing += 1
      try {
        return await act(...args)
      } finally {
        sealing -= 1
      }
    },
  })
}

async function toSent(request: Request, cookies: Map<string, string>): Promise<Sent> {
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

function toResponse({ status, headers, body }: Received): Response {
  const given = Object.entries(headers).filter(([name]) => name !== 'set-cookie') as [string, string][]
  return new Response(status === 204 ? null : body, { status, headers: given })
}

function keepCookies({ headers }: Received, cookies: Map<string, string>): void {
  for (const cookie of headers['set-cookie'] ?? []) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))
