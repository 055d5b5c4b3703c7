/**
 * Runs the complete app in a simulated DOM, started by its own first script: router, store, languages, request pipeline, and the device
 * database over a fake IndexedDB. Only the network differs: requests go to a server in this process. There is no service worker, so the
 * page does its work.
 */
import { Dexie } from 'dexie'
import { IDBFactory } from 'fake-indexeddb'
import type { Root } from 'react-dom/client'
import { screen, within } from '@testing-library/dom'
import { type UserEvent, userEvent } from '@testing-library/user-event'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import {
  type ConnectionState,
  type SentRequest,
  type ServerTransport,
  toResponse,
  toSent,
} from '#tests/support/device/device.ts'
import { toServerTransport } from '#tests/support/device/app.ts'
import { type ServerOptions, startServer, type TestServer } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

export interface PageBrowser {
  user: UserEvent
  sentRequests: SentRequest[]
  /** Connection for the next requests. The page detects a change only by their results. */
  connectionState: ConnectionState
  /** Simulates a disconnected network: no request leaves, and the page gets the offline event. `goOnline` ends it. */
  goOffline(): void
  goOnline(): void
  /** Loads or reloads that page; `path` is inside /saas. Resolves when it has a heading. */
  open(path: string): Promise<void>
  openAs(userName: string, path?: string): Promise<void>
  path(): string
}

/** Starts a real server for the file. Before each test, `reset` creates new test data, and a new browser is opened. */
export function setUpPages(
  options: ServerOptions = {},
  reset: (server: TestServer) => Promise<unknown> = (server) => server.reset(),
) {
  const fixture = {} as { server: TestServer; browser: PageBrowser; user: UserEvent }
  beforeAll(async () => {
    fixture.server = await startServer(options)
  })
  beforeEach(async () => {
    await reset(fixture.server)
    fixture.browser = openBrowser(toServerTransport(fixture.server))
    fixture.user = fixture.browser.user
  })
  afterAll(() => fixture.server?.close())
  return fixture
}

const listen = window.addEventListener
let close: () => Promise<void> = async () => undefined
/** A closed page may finish its work, but no write of an earlier test's browser may be sent. */
afterEach(async () => {
  await close()
  setOnline(true)
  const device = (await import('#local/storage/device.ts')).getThisDevice()
  for (const occupant of await device.directory.occupants.toArray()) await device.getDatabase(occupant).outbox.clear()
})

/** Opens an empty browser. It is closed at the end of the test, so there is only one at a time. */
export function openBrowser(transport: ServerTransport): PageBrowser {
  Dexie.dependencies.indexedDB = new IDBFactory()
  vi.stubGlobal('indexedDB', Dexie.dependencies.indexedDB)
  localStorage.clear()
  sessionStorage.clear()
  for (const name of readDocumentCookies().keys()) forgetCookie(name)
  const httpOnly = new Map<string, string>()
  setOnline(true)

  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const request = typeof input === 'string' ? new Request(new URL(input, location.origin), init) : input
    const cookies = new Map([...readDocumentCookies(), ...httpOnly])
    const sentRequest = await toSent(request, cookies)
    browser.sentRequests.push(sentRequest)
    const { connectionState } = browser
    if (connectionState !== 'up' && connectionState !== 'answers lost') throw new TypeError('Failed to fetch')
    const response = await transport(sentRequest)
    if (connectionState === 'answers lost') throw new TypeError('Failed to fetch')
    for (const cookie of [response.headers['set-cookie'] ?? []].flat()) storeCookie(cookie, httpOnly)
    return toResponse(response)
  })

  let root: Promise<Root> | undefined
  const listening: Parameters<typeof addEventListener>[] = []
  // As in a browser, a closed page gets no events and runs no timers. Otherwise all earlier pages of the file would stay active.
  close = async () => {
    if (!root) return
    ;(await root).unmount()
    root = undefined
    document.body.replaceChildren()
    window.addEventListener = listen
    for (const args of listening.splice(0)) removeEventListener(...args)
    const { ports } = await import('#app/connection/network-bundle.ts')
    ports.wait = () => new Promise(() => {})
    // What its unfinished work reports would be counted against the next test.
    ports.report = () => undefined
  }

  const browser: PageBrowser = {
    user: userEvent.setup(),
    sentRequests: [],
    connectionState: 'up',
    goOffline() {
      browser.connectionState = 'down'
      setOnline(false)
      dispatchEvent(new Event('offline'))
    },
    goOnline() {
      browser.connectionState = 'up'
      setOnline(true)
      dispatchEvent(new Event('online'))
    },
    async open(path) {
      await close()
      // Otherwise parts that are still being loaded would mix modules of two pages.
      await vi.dynamicImportSettled()
      vi.resetModules()
      history.replaceState(null, '', `/saas${path}`)
      const element = document.createElement('div')
      element.id = 'root'
      document.body.append(element)
      const [{ start }, { takeUrlLanguage: takeLanguage }] = await Promise.all([
        import('#app/start.tsx'),
        import('#app/i18n/locale-files.ts'),
      ])
      takeLanguage()
      window.addEventListener = (...args: Parameters<typeof addEventListener>) => {
        listening.push(args)
        listen.apply(window, args)
      }
      root = start(location.pathname.slice('/saas'.length))
      await within(await screen.findByRole('main')).findByRole('heading', { level: 1 })
    },
    async openAs(userName, path = '/app/home') {
      await close()
      // Otherwise parts that are still being loaded would mix modules of two pages.
      await vi.dynamicImportSettled()
      vi.resetModules()
      const [{ signIn }, { ports }] = await Promise.all([
        import('#request/session/sign-in.ts'),
        import('#app/connection/network-bundle.ts'),
      ])
      const [role, company = ''] = userName.split('@')
      const credentials = { company, username: `${role}@${company}.example`, password, language: 'en' } as const
      const result = await signIn(ports, credentials)
      if (result.kind !== 'fresh') throw new Error(`${userName} is not let in: ${JSON.stringify(result)}`)
      await browser.open(path)
    },
    path: () => location.pathname.slice('/saas'.length) + location.search,
  }
  return browser
}

/**
 * From now on, the page waits for answers as long as they take. Otherwise a write counts as queued after a fixed time, which a busy machine
 * exceeds. Lasts until the next page is opened.
 */
export async function waitForAnswers(): Promise<void> {
  const { ports } = await import('#app/connection/network-bundle.ts')
  ports.wait = () => new Promise(() => {})
}

export const waitForPath = (browser: PageBrowser, path: string) => expect.poll(() => browser.path()).toBe(path)

function readDocumentCookies(): Map<string, string> {
  const pairs = document.cookie.split('; ').filter(Boolean)
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

function forgetCookie(name: string): void {
  for (const path of ['/', '/saas/']) document.cookie = `${name}=; Path=${path}; Max-Age=0`
}

function storeCookie(cookie: string, httpOnly: Map<string, string>): void {
  if (!/; *HttpOnly/i.test(cookie)) return void (document.cookie = cookie)
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
  if (value === '' || /max-age=0(;|$)/i.test(cookie)) httpOnly.delete(name)
  else httpOnly.set(name, value)
}

const setOnline = (isOnline: boolean) =>
  Object.defineProperty(navigator, 'onLine', { value: isOnline, configurable: true })
