/**
 * Starts a browser that can be killed. Playwright does not expose the process of a browser it starts, and closes it normally. This browser
 * is started here with a profile folder, controlled through its debugging port, and ended by SIGKILL with all its children, so that only
 * data that reached the disk remains.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromiumPath, suiteFlags } from '#tests/support/browser/browser.ts'
import { waitForAddress } from '#tests/support/browser/browser-address.ts'

export interface ChromiumProcess {
  context: BrowserContext
  /** Address of the debugging port, which further programs may use. */
  address: string
  isRunning(): boolean
  /** Returns the first page at the first call, then further ones. */
  openPage(): Promise<Page>
  /** Closes the browser normally, so cookies and all other data are saved. */
  close(): Promise<void>
  kill(): Promise<void>
}

/** Maximum time in ms for a closing browser to save its data. */
const endWithinMs = 40_000

export async function startChromium(profile: string): Promise<ChromiumProcess> {
  const args = [
    ...suiteFlags,
    '--headless=new',
    '--remote-debugging-port=0',
    '--window-size=1280,800',
    '--hide-crash-restore-bubble',
    `--user-data-dir=${profile}`,
    'about:blank',
  ]
  // Starts a separate process group, so that SIGKILL ends the browser with its renderers and utility processes, and nothing else.
  const child = spawn(findChromiumPath(), args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const exit = once(child, 'exit')
  const address = await waitForAddress(child).catch(async (error: unknown) => {
    killGroup(child)
    throw error
  })
  const browser = await chromium.connectOverCDP(address)
  const context = browser.contexts()[0]
  if (!context) throw new Error('the browser has no profile')
  let isFirst = true
  let isRunning = true
  child.on('exit', () => (isRunning = false))
  return {
    context,
    address,
    isRunning: () => isRunning,
    async openPage() {
      const first = isFirst ? context.pages()[0] : undefined
      isFirst = false
      return first ?? (await context.newPage())
    },
    async close() {
      const session = await browser.newBrowserCDPSession()
      await session.send('Browser.close').catch(() => undefined)
      const killTimer = setTimeout(() => {
        console.warn(`the browser did not end within ${endWithinMs} ms of being told to`)
        killGroup(child)
      }, endWithinMs)
      await exit
      clearTimeout(killTimer)
      await browser.close()
    },
    async kill() {
      // This is set first, because every error from here on is a result of the kill.
      isRunning = false
      killGroup(child)
      await exit
      await browser.close().catch(() => undefined)
    },
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
