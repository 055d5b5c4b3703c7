/**
 * A browser that can be killed. Playwright keeps the process of a browser it starts to itself and closes it politely;
 * this one is started by us, on a profile in a folder, spoken to through its debugging port, and ended by SIGKILL with
 * all its children, so that only what reached the disk is there when it is opened again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromiumPath, suiteFlags } from '#tests/support/browser/browser.ts'
import { waitForAddress } from '#tests/support/browser/browser-address.ts'

export interface ChromiumProcess {
  context: BrowserContext
  isRunning(): boolean
  /** The first page, or a further one. */
  openPage(): Promise<Page>
  /** Closes it as a person does: cookies and all are written down. */
  close(): Promise<void>
  /** Ends the browser and all its processes at once. */
  kill(): Promise<void>
}

/** A browser that was closed, and what it has to write down. */
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
  // A group of its own: renderers and utilities must go with the browser, and nobody else.
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
      // At once: what breaks from here on breaks because of this.
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
    // It had ended by itself.
  }
}
