/** Every request under the worker comes to something, and what is not the worker's passes it by (offline layer, W-08). */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser, type Portal, signIn, startPortal } from '#tests/support/browser.ts'
import { type FaultProxy, openFaultProxy } from '#tests/support/fault-proxy.ts'
import { listed } from '#tests/support/visit.ts'
import { controlWorker } from '#tests/support/worker-control.ts'

let portal: Portal
let proxy: FaultProxy
let browser: Browser
let page: Page
beforeAll(async () => {
  ;[portal, browser] = await Promise.all([startPortal(), openBrowser()])
  proxy = await openFaultProxy(Number(new URL(portal.url).port))
  page = await (await browser.newContext({ locale: 'en-GB' })).newPage()
  await signIn(page, { ...portal, url: proxy.url }, 'admin', '/app/user')
  await listed(page)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  // Once under the worker, so that the device has what is asked for below.
  expect(await ask('/api/m18s/user')).toMatchObject({ status: 200, corridor: true })
})
afterAll(async () => {
  await browser?.close()
  await proxy?.close()
  await portal?.close()
})

/** In the page. `status` 0: a network error. */
const ask = (path: string, init: { headers?: Record<string, string> } = {}) =>
  page.evaluate(
    async ([url, options]) => {
      const since = performance.now()
      const answer = await fetch(url, options).catch(() => null)
      const corridor = answer?.headers.has('x-corridor') ?? false
      return { status: answer?.status ?? 0, corridor, ms: performance.now() - since }
    },
    [path, init] as const,
  )

describe('under the worker', () => {
  it('a server that hangs leaves no request without an answer: what the device has, or an error in time', async () => {
    proxy.set(() => 'hang')
    const [kept, asked] = await Promise.all([ask('/api/m18s/user'), ask('/api/m18s/user?userId=999999')])
    proxy.heal()
    expect(kept).toMatchObject({ status: 200, corridor: true })
    expect(asked).toMatchObject({ status: 0 })
    expect(asked.ms).toBeLessThan(60_000)
  })

  it('a worker that had been stopped answers the request that wakes it', async () => {
    const worker = await controlWorker(page)
    await expect.poll(() => worker.isRunning()).toBe(true)
    for (let times = 0; times < 5; times++) {
      expect(await worker.stop()).toBe(true)
      expect(await ask('/api/m18s/user')).toMatchObject({ status: 200, corridor: true })
      await expect.poll(() => worker.isRunning()).toBe(true)
    }
  })

  it('a part of a file is answered with that part, and not with the whole that is stored', async () => {
    const path = '/saas/icons/favicon.svg'
    expect(await page.evaluate(async (url) => (await caches.match(url, { ignoreSearch: true }))?.ok, path)).toBe(true)
    expect(await ask(path, { headers: { range: 'bytes=0-9' } })).toMatchObject({ status: 206 })
  })

  it('an upload travels as the browser sends it', async () => {
    const before = proxy.arrivals.length
    const answer = await page.evaluate(async () => {
      const form = new FormData()
      form.append('file', new Blob(['a file']), 'a.txt')
      const { status, headers } = await fetch('/api/m18s/asset', { method: 'POST', body: form })
      return { status, corridor: headers.has('x-corridor') }
    })
    // It arrived, and what came back is the server's own word.
    expect(answer).toEqual({ status: 401, corridor: false })
    expect(proxy.arrivals.slice(before).filter(({ path }) => path === '/api/m18s/asset')).toHaveLength(1)
  })
})
