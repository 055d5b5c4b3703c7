/** Every request under the worker comes to something, and what is not the worker's passes it by (offline layer, W-08). */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signIn } from '#tests/support/browser/browser.ts'
import { type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { waitForController, desktop, waitForList, setUpShared } from '#tests/support/browser/browser-setup.ts'
import { controlWorker } from '#tests/support/browser/worker-control.ts'

const { fixture } = setUpShared()
let proxy: FaultProxy
let page: Page
beforeAll(async () => {
  proxy = await openFaultProxy(Number(new URL(fixture.portal.url).port))
  page = await (await fixture.browser.newContext(desktop)).newPage()
  await signIn(page, proxy, 'admin', '/app/user')
  await waitForList(page)
  await waitForController(page)
  // Once under the worker, so that the device has what is asked for below.
  expect(await ask('/api/m18s/user')).toMatchObject({ status: 200, pipeline: true })
})
afterAll(async () => {
  await page?.context().close()
  await proxy?.close()
})

/** In the page. `status` 0: a network error. */
const ask = (path: string, init: { headers?: Record<string, string> } = {}) =>
  page.evaluate(
    async ([url, options]) => {
      const response = await fetch(url, options).catch(() => null)
      const hasPipelineHeader = response?.headers.has('x-corridor') ?? false
      return { status: response?.status ?? 0, pipeline: hasPipelineHeader }
    },
    [path, init] as const,
  )

describe('under the worker', () => {
  it('a worker that had been stopped answers the request that wakes it', async () => {
    const worker = await controlWorker(page)
    await expect.poll(() => worker.isRunning()).toBe(true)
    for (let times = 0; times < 2; times++) {
      expect(await worker.stop()).toBe(true)
      expect(await ask('/api/m18s/user')).toMatchObject({ status: 200, pipeline: true })
      await expect.poll(() => worker.isRunning()).toBe(true)
    }
  })

  it('a part of a file is answered with that part, and not with the whole that is stored', async () => {
    const path = '/saas/icons/favicon.svg'
    expect(await page.evaluate(async (url) => (await caches.match(url, { ignoreSearch: true }))?.ok, path)).toBe(true)
    expect(await ask(path, { headers: { range: 'bytes=0-9' } })).toMatchObject({ status: 206 })
  })

  it('an upload travels as the browser sends it', async () => {
    const arrivalCountBefore = proxy.arrivals.length
    const result = await page.evaluate(async () => {
      const form = new FormData()
      form.append('file', new Blob(['a file']), 'a.txt')
      const { status, headers } = await fetch('/api/m18s/asset', { method: 'POST', body: form })
      return { status, pipeline: headers.has('x-corridor') }
    })
    // It arrived, and what came back is the server's own word.
    expect(result).toEqual({ status: 401, pipeline: false })
    expect(proxy.arrivals.slice(arrivalCountBefore).filter(({ path }) => path === '/api/m18s/asset')).toHaveLength(1)
  })
})
