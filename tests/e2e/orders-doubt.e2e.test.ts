/** Between the price that was shown and the order that stands: prices that change, answers that are lost, nothing to pay. */
import type { BrowserContextOptions } from 'playwright-core'
import { expect, it } from 'vitest'
import { type people, signIn } from '#tests/support/browser.ts'
import { openFaultProxy } from '#tests/support/fault-proxy.ts'
import { expectFine } from '#tests/support/looks.ts'
import { controlled, desk, phone, setUp, tablet } from '#tests/support/visit.ts'
import { choose, field, fill, newPrices, order, ordersOf, step, submit, without } from '#tests/support/wizard.ts'

const { the, ends } = setUp()

async function inside(who: keyof typeof people, options: BrowserContextOptions = desk, url = the.portal.url) {
  const context = await the.browser.newContext({ ...options, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, { ...the.portal, url }, who, '/app/contract/new')
  await field(page, 'code').waitFor()
  return page
}

let made: Promise<void> | null = null
/** The list of today, made once: the core is dearer in HKD, and in RMB all is free. */
const nextPrices = () =>
  (made ??= inside('staff').then((staff) =>
    newPrices(staff, ({ concurrentUser, namedUser, module }) => ({
      concurrentUser: concurrentUser.map(free),
      namedUser: namedUser.map(free),
      module: module.map((row) => ({ ...free(row), ...(row.code === 'core' ? { hkd: '12500.00' } : {}) })),
      min_fee_rmb: '0.00',
    })),
  ))
const free = (row: object) => ({ ...without(row, 'id'), rmb: '0.00' })

it('a price that changes between the figure and the order is shown beside the one before, and nothing is ordered (D17)', async () => {
  const page = await inside('admin', tablet)
  await fill(page, 'doubtprice', { users: '11' })
  await submit(page).click()
  await choose(page, 'fin')
  // Worked out without a line, so that the server's figure waits for a yes.
  await page.context().setOffline(true)
  await order(page).click()
  await page.getByText('There is no connection; nothing was ordered').waitFor()
  await page.context().setOffline(false)
  await page.getByText("The server's price is the one you saw").waitFor({ timeout: 30_000 })
  await nextPrices()

  await page.getByRole('button', { name: 'Create order · HKD 43,000.00' }).click()
  await page.getByText('The price is another one than you saw. Nothing has been ordered.').waitFor()
  expect(await page.locator('.compared dd').allInnerTexts()).toEqual(['HKD 43,000.00', 'HKD 43,500.00'])
  expect(await ordersOf(page, 'doubtprice')).toEqual([])
  // Beside the form stands what it costs by now.
  await page.locator('.price-amount').getByText('43,500.00').waitFor()
  await expectFine(page, 'the two prices')
  await page.getByRole('button', { name: 'Create order · HKD 43,500.00' }).click()
  await expect.poll(() => step(page)).toContain('Payment')
  expect(await ordersOf(page, 'doubtprice')).toMatchObject([{ state: 'unpaid', amount: '43500.00' }])
})

it('an order whose answer was lost is asked for once more and made once (R-03)', async () => {
  const proxy = await openFaultProxy(Number(new URL(the.portal.url).port))
  ends.push(() => proxy.close())
  const page = await inside('admin', phone, proxy.url)
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

it('一份不用付款的合同立即生效', async () => {
  await nextPrices()
  const page = await inside('admin', { ...tablet, colorScheme: 'dark' })
  await page.goto(`${the.portal.url}/saas/app/contract/new?lang=zh`)
  await fill(page, 'doubtfree')
  await page.locator('[name=currency][value=RMB]').check()
  await submit(page).click()
  await choose(page, 'doc')
  await expect.poll(() => page.locator('.price-amount').innerText()).toBe('RMB 0.00')
  await order(page).click()
  await page.getByRole('heading', { name: '合同已生效' }).waitFor()
  await expectFine(page, 'a contract for nothing')
  expect(await ordersOf(page, 'doubtfree')).toMatchObject([{ state: 'effective', amount: '0.00' }])
})
