/**
 * Tests the contract list and the home page offline, and printing (M61 to M69, D65). Their contents are tested in
 * `tests/features/orders/list`.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import orders from '#locales/zh/orders.json' with { type: 'json' }
import { countCachedFiles, waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  getAddress,
  waitForController,
  openFreshPage,
  waitForList,
  takeOwnCompany,
  resumePage,
  getRows,
  setUpShared,
  tablet,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

const row = (page: Page, code: string) => getRows(page).filter({ hasText: code })
async function selectAction(page: Page, code: string, name: string) {
  await row(page, code).locator('[aria-haspopup=menu]').click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
const readCodes = (page: Page) => page.locator('tbody .order-code').allInnerTexts()

it("Home and the contract list work offline; the list's address holds search, filter and sort order", async () => {
  const { code, admin } = takeOwnCompany()
  const buildCodes = (...services: string[]) => services.map((service) => `${code}${service}`)
  const page = await resumePage(setup, admin, '/app/home')
  const attentionRegion = page.getByRole('region', { name: 'Needs attention' })
  const getDuty = (text: RegExp) => attentionRegion.getByRole('listitem').filter({ hasText: text })
  await getDuty(/New contract: Acme people.* · pay by \d{4}-\d\d-\d\d/s).waitFor()
  await waitForController(page)
  await waitForCachedPart(page, 'orders')
  await page.context().setOffline(true)
  await page.reload()
  await getDuty(/New contract: Acme people/).waitFor()
  await getDuty(/Acme, to try things out ends on \d{4}-\d\d-\d\d/).waitFor()
  expect(await getDuty(/Change of Acme, to try things out/).count()).toBe(1)

  await page.getByRole('navigation').getByRole('link', { name: 'Contracts', exact: true }).click()
  await waitForList(page)
  const readColor = (code: string) =>
    row(page, code)
      .locator('td')
      .nth(1)
      .evaluate((cell) => getComputedStyle(cell).color)
  expect(await readColor(`${code}old`)).not.toBe(await readColor(`${code}trade`))
  await page.getByRole('textbox', { name: 'Search service code or name' }).fill('ACME, to')
  await expect.poll(() => readCodes(page)).toEqual(buildCodes('test'))
  await expect.poll(() => getAddress(page).searchParams.get('searchText')).toBe('ACME, to')
  await page.getByRole('button', { name: 'Clear search' }).click()
  await page.getByRole('link', { name: 'Expired', exact: true }).click()
  await expect.poll(() => readCodes(page)).toEqual(buildCodes('old'))
  await expect.poll(() => getAddress(page).searchParams.get('status')).toBe('2')
  await page.reload()
  await expect.poll(() => readCodes(page)).toEqual(buildCodes('old'))
  await page.getByRole('link', { name: 'All', exact: true }).click()
  await page.locator('th button', { hasText: 'Service code' }).click()
  await expect.poll(() => readCodes(page)).toEqual(buildCodes('hr', 'old', 'shop', 'test', 'trade'))
  const calendar = page.getByRole('button', { name: 'Calendar' })
  await expect.poll(() => calendar.getAttribute('aria-disabled')).toBe('true')
})

it('A contract is printed once in a new tab, also in Chinese; if the tab is blocked, a link is shown', async () => {
  // Uses its own company, because the document has the language of the account, which the login sets.
  const chinese = takeOwnCompany()
  const page = await openFreshPage(setup, chinese.admin, '/app/contract?lang=zh', { ...tablet, locale: 'zh-CN' })
  await waitForList(page)
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    selectAction(page, `${chinese.code}test`, '打印'),
  ])
  await tab.getByRole('heading', { name: '服务合同' }).waitFor()
  expect(await tab.title()).toMatch(/^服务合同 C\d+ · Acme, to try things out$/)
  const pdf = await tab.pdf({ preferCSSPageSize: true })
  expect(pdf.toString('latin1')).toMatch(/MediaBox\s*\[0 0 59[45][\d.]* 84[12]/)
  // The address belongs to this browser (decision 73). Another client gets nothing.
  const response = await fetch(tab.url(), { headers: { accept: 'text/html', 'accept-language': 'zh-CN' } })
  expect(response.status).toBe(404)
  expect(await response.text()).toContain('此打印地址已失效')
  await tab.close()

  await page.evaluate(() => {
    const originalOpen = window.open.bind(window)
    window.open = (...args) => {
      window.open = originalOpen
      return args[0] === '' ? null : originalOpen(...args)
    }
  })
  await selectAction(page, `${chinese.code}test`, '打印')
  const [printTab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: orders.toast.printOpen, exact: true }).click(),
  ])
  await printTab.getByRole('heading', { name: '服务合同' }).waitFor()
})

it('Home shows no contracts without the order right, and the device does not cache the code for contracts', async () => {
  const page = await resumePage(setup, 'clerk', '/app/home')
  await waitForController(page)
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  await page.waitForLoadState('networkidle')
  expect(await page.getByRole('link', { name: /contract/i }).count()).toBe(0)
  expect(await page.getByText(/pay by/).count()).toBe(0)
  // The worker handles messages in order. After this response it has started on all earlier requests to cache files.
  await page.evaluate(async () => {
    const { port1, port2 } = new MessageChannel()
    const responsePromise = new Promise((resolve) => (port1.onmessage = resolve))
    navigator.serviceWorker.controller?.postMessage({ type: 'build' }, [port2])
    await responsePromise
  })
  expect(await page.evaluate(() => caches.keys())).not.toContainEqual(expect.stringMatching(/^portal-staff-/))
  expect(await countCachedFiles(page, 'orders')).toBe(0)
})
