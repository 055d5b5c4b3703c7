/** An order whose answer is lost on its way: nobody orders twice. */
import { expect, it } from 'vitest'
import { openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { expectFine } from '#tests/support/browser/looks.ts'
import { controlled, freshPage, ownCompany, phone, setUpShared } from '#tests/support/browser/visit.ts'
import { choose, field, fill, order, ordersOf, step, submit } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { the, ends } = setup

it('an order whose answer was lost is asked for once more and made once (R-03)', async () => {
  const proxy = await openFaultProxy(Number(new URL(the.portal.url).port))
  ends.push(() => proxy.close())
  const behind = { ...setup, the: { ...the, portal: { ...the.portal, url: proxy.url } } }
  const page = await freshPage(behind, ownCompany().admin, '/app/contract/new', phone)
  await field(page, 'code').waitFor()
  await controlled(page)
  await fill(page, 'doubtlost')
  await submit(page).click()
  await choose(page, 'hr')
  const isOrder = ({ method, path }: { method: string; path: string }) => method === 'POST' && path === '/api/sorder'
  const isAsking = ({ path }: { path: string }) => path.startsWith('/api/request/') || path === '/api/calculate'
  let isLost = false
  proxy.set((call) => {
    isLost ||= isOrder(call)
    if (isOrder(call)) return 'cut before the answer'
    return isLost && isAsking(call) ? 'reset' : null
  })
  await order(page).click()
  await page.getByText('The connection was lost while ordering').waitFor({ timeout: 60_000 })
  await expectFine(page, 'an order in doubt')
  await page.reload()
  proxy.heal()
  // It stands at the server: nobody is asked whether to replace it by itself.
  await expect.poll(() => step(page), { timeout: 60_000 }).toContain('Payment')
  expect(await ordersOf(page, 'doubtlost')).toMatchObject([{ state: 'unpaid' }])
  expect(new Set(proxy.arrivals.filter(isOrder).flatMap(({ keys }) => keys)).size).toBe(1)
})
