/** Tests that the worker responds to every request it is responsible for, and passes all others to the network (offline layer, W-08). */
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
  // Reads the user once through the worker, so that the device has the rows that the tests request.
  expect(await ask('/api/m18s/user')).toMatchObject({ status: 200, pipeline: true })
})
afterAll(async () => {
  await page?.context().close()
  await proxy?.close()
})

/** Fetches in the page. `status` 0 means a network error. */
const ask = (path: string, init: { headers?: Record<string, string> } = {}) =>
  page.evaluate(
    async ([url, options]) => {
      const response = await fetch(url, options).catch(() => null)
      const hasPipelineHeader = response?.headers.has('x-corridor') ?? false
      return { status: response?.status ?? 0, pipeline: hasPipelineHeader }
    },
    [path, init] as const,
  )

describe('the service worker', () => {
  it('responds to the request that starts it again after it was stopped', async () => {
    const worker = await controlWorker(page)
    await expect.poll(() => worker.isRunning()).toBe(true)
    for (let times = 0; times < 2; times++) {
      expect(await worker.stop()).toBe(true)
      expect(await ask('/api/m18s/user')).toMatchObject({ status: 200, pipeline: true })
      await expect.poll(() => worker.isRunning()).toBe(true)
    }
  })

  it('responds to a range request with that range, not with the complete cached file', async () => {
    const path = '/saas/icons/favicon.svg'
    expect(await page.evaluate(async (url) => (await caches.match(url, { ignoreSearch: true }))?.ok, path)).toBe(true)
    expect(await ask(path, { headers: { range: 'bytes=0-9' } })).toMatchObject({ status: 206 })
  })

  it('forwards an upload unchanged', async () => {
    const arrivalCountBefore = proxy.arrivals.length
    const result = await page.evaluate(async () => {
      const form = new FormData()
      form.append('file', new Blob(['a file']), 'a.txt')
      const { status, headers } = await fetch('/api/m18s/asset', { method: 'POST', body: form })
      return { status, pipeline: headers.has('x-corridor') }
    })
    // The upload arrived once, and the response comes from the server.
    expect(result).toEqual({ status: 401, pipeline: false })
    expect(proxy.arrivals.slice(arrivalCountBefore).filter(({ path }) => path === '/api/m18s/asset')).toHaveLength(1)
  })
})
