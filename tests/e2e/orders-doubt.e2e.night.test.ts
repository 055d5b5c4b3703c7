/** Tests that an order whose response is lost is not created twice. */
import { expect, it } from 'vitest'
import { openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import {
  waitForController,
  openFreshPage,
  takeOwnCompany,
  phone,
  setUpShared,
} from '#tests/support/browser/browser-setup.ts'
import {
  choose,
  getField,
  fill,
  getOrderButton,
  listOrders,
  readStep,
  getSubmitButton,
} from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { fixture, cleanups } = setup

it('An order whose response was lost is requested again and created once (R-03)', async () => {
  const proxy = await openFaultProxy(Number(new URL(fixture.portal.url).port))
  cleanups.push(() => proxy.close())
  const proxiedSetup = { ...setup, fixture: { ...fixture, portal: { ...fixture.portal, url: proxy.url } } }
  const page = await openFreshPage(proxiedSetup, takeOwnCompany().admin, '/app/contract/new', phone)
  await getField(page, 'code').waitFor()
  await waitForController(page)
  await fill(page, 'doubtlost')
  await getSubmitButton(page).click()
  await choose(page, 'hr')
  const isOrder = ({ method, path }: { method: string; path: string }) => method === 'POST' && path === '/api/sorder'
  const isOutcomeRequest = ({ path }: { path: string }) => path.startsWith('/api/request/') || path === '/api/calculate'
  let isLost = false
  proxy.set((call) => {
    isLost ||= isOrder(call)
    if (isOrder(call)) return 'cut before the answer'
    return isLost && isOutcomeRequest(call) ? 'reset' : null
  })
  await getOrderButton(page).click()
  await page.getByText('The connection was lost while ordering').waitFor({ timeout: 60_000 })
  await expectNoFaults(page, 'an order in doubt')
  await page.reload()
  proxy.clearFaults()
  // The order exists on the server. The page shows no question whether to replace it.
  await expect.poll(() => readStep(page), { timeout: 60_000 }).toContain('Payment')
  expect(await listOrders(page, 'doubtlost')).toMatchObject([{ state: 'unpaid' }])
  expect(new Set(proxy.arrivals.filter(isOrder).flatMap(({ keys }) => keys)).size).toBe(1)
})
