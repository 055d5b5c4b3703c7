/** A page in Chromium stays usable while the node of its WebSocket stops: it connects to the other node and shows no error. */
import { setTimeout as wait } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { findChromiumPath, signIn, suiteFlags } from '#tests/support/browser/browser.ts'
import { password } from '#tests/support/server/world.ts'

const person = { company: 'alpha', username: 'admin@alpha.example', password }
const maxReconnectMs = 20_000

/** Calls `stopNodes`, which stops both nodes in turn, so that the node of the WebSocket is one of them. */
export async function checkPage(url: string, stopNodes: () => Promise<void>): Promise<string[]> {
  const browser = await chromium.launch({
    executablePath: findChromiumPath(),
    args: [...suiteFlags, '--ignore-certificate-errors'],
  })
  try {
    const page = await (await browser.newContext({ locale: 'en-GB', ignoreHTTPSErrors: true })).newPage()
    const sockets: { openedAt: number; closedAt: number | null }[] = []
    page.on('websocket', (socket) => {
      const times = { openedAt: performance.now(), closedAt: null as number | null }
      sockets.push(times)
      socket.on('close', () => (times.closedAt = performance.now()))
    })
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    await signIn(page, { url }, person)
    await waitFor(() => sockets.some(({ closedAt }) => closedAt === null), maxReconnectMs)
    const countBefore = sockets.length
    await stopNodes()
    const hasReconnected = await waitFor(
      () => sockets.length > countBefore && sockets.at(-1)?.closedAt === null,
      maxReconnectMs,
    )
    const alerts = await page.locator('.p-toast-message-error, .p-message-error, [role=alert]').allInnerTexts()
    await page.locator('.shell main h1').waitFor()
    return [
      ...(countBefore === 0 ? ['the page opened no WebSocket'] : []),
      ...(hasReconnected ? [] : [`the page did not connect again: ${JSON.stringify(sockets)}`]),
      ...alerts.filter((text) => text.trim() !== '').map((text) => `the page shows "${text}"`),
      ...errors.map((message) => `the page has the error "${message}"`),
    ]
  } finally {
    await browser.close()
  }
}

async function waitFor(isDone: () => boolean, maxMs: number): Promise<boolean> {
  const deadline = performance.now() + maxMs
  while (!isDone() && performance.now() < deadline) await wait(50)
  return isDone()
}
