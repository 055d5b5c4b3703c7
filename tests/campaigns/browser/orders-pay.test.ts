/**
 * Tests paying an order in a real browser: card, 3-D Secure, declined card, Alipay, cancellation, two tabs, offline (M81 to M86). The
 * simulated payment of staff is tested in `tests/features/orders/wizard`.
 */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findViolations } from '#tests/support/browser/browser.ts'
import { getCardField, typeCard } from '#tests/support/orders/card-fields.ts'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { waitForController, takeOwnCompany, resumePage, setUpShared } from '#tests/support/browser/browser-setup.ts'
import { callApi, choose, fill, getOrderButton, getSubmitButton } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { fixture } = setup
const { admin } = takeOwnCompany()

const openHome = (language: string) => resumePage(setup, admin, `/app/home?lang=${language}`)

/** Creates an order through the API, as the wizard's third step does. Returns the address of its page. */
async function createOrder(page: Page, code: string): Promise<string> {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date())
  const orderFields = { user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], period: 1, period_start: today }
  const { body } = await callApi<{ id: number }>(page, 'POST', '/api/sorder', {
    code,
    name: code,
    currency: 'HKD',
    ...orderFields,
  })
  return `${fixture.portal.url}/saas/app/contract/${body.id}`
}

const buttonNames = {
  en: { open: /^Pay HKD/, card: /^Pay .* by card$/, page: /on the payment page$/, alipay: /^Pay .* with Alipay$/ },
  zh: { open: /^付款 (HKD|RMB)/, card: /^银行卡付款/, page: /^前往付款页面付款/, alipay: /^支付宝付款/ },
}
const getButton = (page: Page, name: RegExp | string) => page.getByRole('button', { name })
const getNote = (page: Page, text: string) => page.locator('.payment-note', { hasText: text })

async function openPaymentPanel(page: Page, address: string, language: keyof typeof buttonNames = 'en') {
  await page.goto(address)
  await getButton(page, buttonNames[language].open).click()
  await page.locator('.payment').waitFor()
}

async function openCardPage(page: Page, address: string, language: keyof typeof buttonNames = 'en') {
  await openPaymentPanel(page, address, language)
  await getButton(page, buttonNames[language].page).click()
  await page.waitForURL(/\/pay\/card\//)
}

async function chooseCard(page: Page, number: string) {
  await page.locator(`input[value="${number}"]`).check()
  await page.locator('form button').click()
}

const isEffective = (page: Page, label = 'Effective') => page.locator('.order-intro .tag', { hasText: label }).waitFor()
const waitForReturn = (page: Page, address: string) => page.waitForURL((url) => url.href.startsWith(address))

it('A card payment in two tabs is charged once, and all pages show it', async () => {
  const page = await openHome('en')
  const address = await createOrder(page, 'paycard')
  const listedRow = page.locator('main tbody tr', { hasText: 'paycard' })
  await page.goto(`${fixture.portal.url}/saas/app/contract`)
  await listedRow.getByText('Unpaid').waitFor()
  const otherPage = await page.context().newPage()
  await openPaymentPanel(otherPage, address)
  await openCardPage(page, address)
  const listResponse = page.waitForResponse((response) => response.url().includes('searchText=paycard'))
  await chooseCard(page, '4242 4242 4242 4242')
  await waitForReturn(page, address)
  await getNote(page, 'Payment received').waitFor()
  await isEffective(page)
  expect(await findViolations(page)).toEqual([])
  await getButton(page, 'Close').click()
  await expect.poll(() => page.url()).toBe(address)
  await listResponse

  // The other tab has shown its card fields since before the payment. It must not charge the paid order again.
  await typeCard(otherPage, '4242424242424242')
  await getButton(otherPage, buttonNames.en.card).click()
  await otherPage.locator('.toast', { hasText: 'Payment received' }).waitFor()
  await isEffective(otherPage)
  await otherPage.close()

  await page.context().setOffline(true)
  await page.locator('.crumbs a').first().click()
  await listedRow.getByText('Effective').waitFor()
})

it('A card payment needs a connection, can be cancelled, shows a declined card, and supports 3-D Secure', async () => {
  const page = await openHome('zh')
  await waitForController(page)
  const address = await createOrder(page, 'paybank')
  await openPaymentPanel(page, address, 'zh')
  await page.context().setOffline(true)
  await page.locator('.payment-offline').waitFor()
  expect(await getButton(page, buttonNames.zh.card).getAttribute('aria-disabled')).toBe('true')
  await page.context().setOffline(false)
  await page.locator('.payment-offline').waitFor({ state: 'detached', timeout: 30_000 })
  await getButton(page, buttonNames.zh.page).click()
  await page.waitForURL(/\/pay\/card\//)
  await page.locator('.back a').click()
  await waitForReturn(page, address)
  await getNote(page, '付款失败').waitFor()

  await getButton(page, buttonNames.zh.open).click()
  await getButton(page, buttonNames.zh.page).click()
  await page.waitForURL(/\/pay\/card\//)
  await chooseCard(page, '4000 0000 0000 0002')
  await page.locator('.declined').waitFor()
  await chooseCard(page, '4000 0025 0000 3155')
  await page.waitForURL(/\/pay\/bank\//)
  await page.locator('button[value="yes"]').click()
  await waitForReturn(page, address)
  await getNote(page, '已收到付款').waitFor()
  await isEffective(page, '生效中')
})

it('A typed card is marked invalid when declined, can be corrected, and supports 3-D Secure (fault 36M81e)', async () => {
  const page = await openHome('zh')
  const address = await createOrder(page, 'paytyped')
  await openPaymentPanel(page, address, 'zh')
  await typeCard(page, '4000000000000002')
  await getButton(page, buttonNames.zh.card).click()
  await getNote(page, '您的银行卡信息无效').waitFor()
  await expectNoFaults(page, 'a declined card')
  await getCardField(page, 'number').fill('4000 0025 0000 3155')
  expect(await getCardField(page, 'cvc').inputValue()).toBe('123')
  await getButton(page, buttonNames.zh.card).click()
  await page.waitForURL(/\/pay\/bank\//)
  await page.locator('button[value="yes"]').click()
  await waitForReturn(page, address)
  await getNote(page, '已收到付款').waitFor()
  await isEffective(page, '生效中')
})

it("An order in RMB is paid through Alipay, also after a cancellation, and returns to the wizard's last step", async () => {
  const page = await openHome('zh')
  await page.goto(`${fixture.portal.url}/saas/app/contract/new`)
  await fill(page, 'payalipay')
  await page.locator('[name=currency][value=RMB]').check()
  await getSubmitButton(page).click()
  await choose(page, 'doc')
  await getOrderButton(page).click()
  await payThroughAlipay(page, 'back')
  await getNote(page, '付款失败').waitFor()
  await getButton(page, buttonNames.zh.open).click()
  await payThroughAlipay(page, 'pay')
  await page.getByRole('heading', { name: '合同已生效' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/saas/app/contract/new')
  await page.getByText('payalipay').first().waitFor()
  await expectNoFaults(page, 'a contract that has just been paid')
})

async function payThroughAlipay(page: Page, action: 'back' | 'pay') {
  await getButton(page, buttonNames.zh.alipay).click()
  await page.waitForURL(/\/pay\/alipay\//)
  await page.locator(`button[value="${action}"]`).click()
}
