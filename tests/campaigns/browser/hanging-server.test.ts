import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { signIn } from '#tests/support/browser/browser.ts'
import { type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { waitForController, desktop, waitForList, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture } = setUpShared()
let proxy: FaultProxy
let page: Page
beforeAll(async () => {
  proxy = await openFaultProxy(Number(new URL(fixture.portal.url).port))
  page = await (await fixture.browser.newContext(desktop)).newPage()
  await signIn(page, proxy, 'admin', '/app/user')
  await waitForList(page)
  await waitForController(page)
})
afterAll(async () => {
  await page?.context().close()
  await proxy?.close()
})

/** Fetches in the page. `status` 0 means a network error. */
const fetchPath = (path: string) =>
  page.evaluate(async (url) => {
    const startedAt = performance.now()
    const response = await fetch(url).catch(() => null)
    return { status: response?.status ?? 0, ms: performance.now() - startedAt }
  }, path)

it('If the server hangs, every request ends within its time limit, with cached data or an error', async () => {
  expect(await fetchPath('/api/m18s/user')).toMatchObject({ status: 200 })
  proxy.set(() => 'hang')
  const [cachedResult, uncachedResult] = await Promise.all([
    fetchPath('/api/m18s/user'),
    fetchPath('/api/m18s/user?userId=999999'),
  ])
  proxy.clearFaults()
  expect(cachedResult).toMatchObject({ status: 200 })
  expect(uncachedResult).toMatchObject({ status: 0 })
  expect(uncachedResult.ms).toBeLessThan(60_000)
})
