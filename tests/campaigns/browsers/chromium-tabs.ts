/**
 * Drives Chromium without Playwright, because Playwright keeps every page awake. The browser can freeze these tabs, as it freezes tabs that
 * are not used for a long time.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killGroup, startGroup, toJsonCall } from '#tests/campaigns/browsers/engine.ts'
import { type MessageSocket, openSocket } from '#tests/campaigns/browsers/socket.ts'
import { findChromiumPath, flags } from '#tests/support/browser/browser.ts'
import { waitForAddress } from '#tests/support/browser/browser-address.ts'

export interface ChromiumTab {
  /** Runs a function in the page. It must not refer to anything outside of itself. */
  run<A extends unknown[], T>(callback: (...args: A) => T | Promise<T>, ...args: A): Promise<T>
  goTo(url: string): Promise<void>
  /** Replaces the content of a field, as pasting does. */
  fill(selector: string, text: string): Promise<void>
  /** Requests that match get no response until the returned function is called. Resolves when the first one is sent. */
  hang(isTarget: (request: PausedRequest) => boolean): Promise<() => Promise<void>>
  setLifecycle(state: 'frozen' | 'active'): Promise<void>
  clearCookie(name: string, url: string): Promise<void>
}

export interface PausedRequest {
  method: string
  url: string
}

export interface ChromiumTabs {
  /** `script` runs in every document of the tab before its own. */
  open(script: () => void): Promise<ChromiumTab>
  close(): Promise<void>
}

export async function openTabs(): Promise<ChromiumTabs> {
  const profile = await mkdtemp(join(tmpdir(), 'portal-tabs-'))
  const child = startGroup(findChromiumPath(), [
    '--headless',
    ...flags,
    `--user-data-dir=${profile}`,
    '--remote-debugging-port=0',
    'about:blank',
  ])
  const { host } = new URL(await waitForAddress(child))
  return {
    async open(script) {
      const response = await fetch(`http://${host}/json/new?about:blank`, { method: 'PUT' })
      const { webSocketDebuggerUrl } = (await response.json()) as { webSocketDebuggerUrl: string }
      return await openTab(webSocketDebuggerUrl, script)
    },
    async close() {
      await killGroup(child)
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function openTab(address: string, script: () => void): Promise<ChromiumTab> {
  let onPaused: (params: { requestId: string; request: PausedRequest }) => void = () => undefined
  const socket: MessageSocket = await openSocket(address, (method, params) => {
    if (method === 'Fetch.requestPaused') onPaused(params)
  })
  await socket.send('Page.enable')
  await socket.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${script.toString()})()` })
  const tab: ChromiumTab = {
    async run(callback, ...args) {
      const { result, exceptionDetails } = await socket.send<{
        result: { value?: string }
        exceptionDetails?: { text: string; exception?: { description?: string } }
      }>('Runtime.evaluate', {
        expression: toJsonCall(callback as never, args),
        awaitPromise: true,
        returnByValue: true,
      })
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      return JSON.parse(result.value ?? 'null')
    },
    goTo: async (url) => void (await socket.send('Page.navigate', { url })),
    async fill(selector, text) {
      await tab.run((targetSelector) => {
        const field = document.querySelector<HTMLInputElement>(targetSelector)
        field?.focus()
        field?.select()
      }, selector)
      await socket.send('Input.insertText', { text })
    },
    async hang(isTarget) {
      await socket.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
      await new Promise<void>((resolve) => {
        onPaused = ({ requestId, request }) => {
          if (isTarget(request)) resolve()
          else void socket.send('Fetch.continueRequest', { requestId }).catch(() => undefined)
        }
      })
      return async () => void (await socket.send('Fetch.disable'))
    },
    setLifecycle: async (state) => void (await socket.send('Page.setWebLifecycleState', { state })),
    clearCookie: async (name, url) => void (await socket.send('Network.deleteCookies', { name, url })),
  }
  return tab
}
