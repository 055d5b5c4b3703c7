import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { signIn } from '#tests/support/browser/browser.ts'
import { type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { controlled, desk, listed, setUpShared } from '#tests/support/browser/visit.ts'

const { the } = setUpShared()
let proxy: FaultProxy
let page: Page
beforeAll(async () => {
  proxy = await openFaultProxy(Number(new URL(the.portal.url).port))
  page = await (await the.browser.newContext(desk)).newPage()
  await signIn(page, proxy, 'admin', '/app/user')
  await listed(page)
  await controlled(page)
})
afterAll(async () => {
  await page?.context().close()
  await proxy?.close()
})

/** In the page. `status` 0: a network error. */
const ask = (path: string) =>
  page.evaluate(async (url) => {
    const since = performance.now()
    const answer = await fetch(url).catch(() => null)
    return { status: answer?.status ?? 0, ms: performance.now() - since }
  }, path)

it('a server that hangs leaves no request under the worker without an answer: what the device has, or an error in time', async () => {
  expect(await ask('/api/m18s/user')).toMatchObject({ status: 200 })
  proxy.set(() => 'hang')
  const [kept, asked] = await Promise.all([ask('/api/m18s/user'), ask('/api/m18s/user?userId=999999')])
  proxy.heal()
  expect(kept).toMatchObject({ status: 200 })
  expect(asked).toMatchObject({ status: 0 })
  expect(asked.ms).toBeLessThan(60_000)
})
