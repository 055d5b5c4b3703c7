/** Paying an order in a real browser: card, bank, declined, Alipay, turned back, two tabs, no line (M81 to M86). */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type people, seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { controlled, desk, phone, setUp, tablet } from '#tests/support/visit.ts'
import { ask, choose, fill, order, submit } from '#tests/support/wizard.ts'

const { the, ends } = setUp()

async function inside(who: keyof typeof people, language: string, options: BrowserContextOptions = desk) {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, who, `/app/home?lang=${language}`)
  return page
}

/** Ordered by the call, as the wizard does at its third step; answers where its page is. */
async function ordered(page: Page, code: string, currency = 'HKD'): Promise<string> {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date())
  const wish = { user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], period: 1, period_start: today }
  const { body } = await ask<{ id: number }>(page, 'POST', '/api/sorder', { code, name: code, currency, ...wish })
  return `${the.portal.url}/saas/app/contract/${body.id}`
}

const words = {
  en: { open: /^Pay HKD/, card: /^Pay .* by card$/, alipay: /^Pay .* with Alipay$/, way: 'Alipay' },
  zh: { open: /^支付 (HKD|RMB)/, card: /^用银行卡支付/, alipay: /^用支付宝支付/, way: '支付宝' },
}
const button = (page: Page, name: RegExp | string) => page.getByRole('button', { name })
const note = (page: Page, text: string) => page.locator('.payment-note', { hasText: text })

/** The panel over the order's page. */
async function panel(page: Page, address: string, language: keyof typeof words = 'en') {
  await page.goto(address)
  await button(page, words[language].open).click()
  await page.locator('.payment').waitFor()
}

async function toCards(page: Page, address: string, language: keyof typeof words = 'en') {
  await panel(page, address, language)
  await button(page, words[language].card).click()
  await page.waitForURL(/\/pay\/card\//)
}

async function chooseCard(page: Page, number: string) {
  await page.locator(`input[value="${number}"]`).check()
  await page.locator('form button').click()
}

const isEffective = (page: Page, said = 'Effective') => page.locator('.order-intro .tag', { hasText: said }).waitFor()
const back = (page: Page, address: string) => page.waitForURL((url) => url.href.startsWith(address))

it('a card pays, and both the page of the order and the list without a line say so', async () => {
  const page = await inside('admin', 'en')
  const address = await ordered(page, 'paycard')
  const listed = page.locator('main tbody tr', { hasText: 'paycard' })
  await page.goto(`${the.portal.url}/saas/app/contract`)
  await listed.getByText('Unpaid').waitFor()
  await toCards(page, address)
  const relisted = page.waitForResponse((answer) => answer.url().includes('searchText=paycard'))
  await chooseCard(page, '4242 4242 4242 4242')
  await back(page, address)
  await note(page, 'Payment received').waitFor()
  await isEffective(page)
  expect([await sidewaysScroll(page), await seriousTrouble(page)]).toEqual([0, []])
  await button(page, 'Close').click()
  await expect.poll(() => page.url()).toBe(address)
  await relisted
  await page.context().setOffline(true)
  await page.locator('.crumbs a').first().click()
  await listed.getByText('Effective').waitFor()
})

it('whoever pays from the wizard comes back to its last step', async () => {
  const page = await inside('admin', 'zh', tablet)
  await page.goto(`${the.portal.url}/saas/app/contract/new`)
  await fill(page, 'paywizard')
  await submit(page).click()
  await choose(page, 'doc')
  await order(page).click()
  await button(page, words.zh.card).click()
  await page.waitForURL(/\/pay\/card\//)
  await chooseCard(page, '4242 4242 4242 4242')
  await page.getByRole('heading', { name: '合同已生效' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/saas/app/contract/new')
  await page.getByText('paywizard').first().waitFor()
})

it('a card whose bank asks first pays after the yes; one that is declined is told so there and another pays', async () => {
  const page = await inside('admin', 'zh', tablet)
  const address = await ordered(page, 'paybank')
  await toCards(page, address, 'zh')
  await chooseCard(page, '4000 0000 0000 0002')
  await page.locator('.declined').waitFor()
  await chooseCard(page, '4000 0025 0000 3155')
  await page.waitForURL(/\/pay\/bank\//)
  await page.locator('button[value="yes"]').click()
  await back(page, address)
  await note(page, '已收到付款').waitFor()
  await isEffective(page, '生效中')
})

it('whoever turns back at the card has paid nothing, is told so, and pays later', async () => {
  const page = await inside('admin', 'en', tablet)
  const address = await ordered(page, 'payback')
  await toCards(page, address)
  await page.locator('.back a').click()
  await back(page, address)
  await note(page, 'Payment failed').waitFor()
  expect(await seriousTrouble(page)).toEqual([])
  await toCards(page, address)
  await chooseCard(page, '4242 4242 4242 4242')
  await back(page, address)
  await note(page, 'Payment received').waitFor()
})

it('RMB goes to Alipay and back, also after a no', async () => {
  const page = await inside('admin', 'zh', phone)
  const address = await ordered(page, 'payalipay', 'RMB')
  for (const answer of ['back', 'pay']) {
    await panel(page, address, 'zh')
    await page.getByRole('radio', { name: words.zh.way }).check()
    expect(await sidewaysScroll(page)).toBe(0)
    await button(page, words.zh.alipay).click()
    await page.waitForURL(/\/pay\/alipay\//)
    await page.locator(`button[value="${answer}"]`).click()
    await back(page, address)
    await note(page, answer === 'pay' ? '已收到付款' : '付款失败').waitFor()
  }
  await isEffective(page, '生效中')
})

it('the provider’s staff may simulate it, and use Alipay for other currencies', async () => {
  const page = await inside('staff', 'en')
  const address = await ordered(page, 'paystaff')
  await panel(page, address)
  await page.getByRole('radio', { name: 'Alipay' }).waitFor()
  await page.getByRole('radio', { name: 'Simulated payment' }).check()
  await button(page, /^Simulate payment/).click()
  await page.locator('.toast', { hasText: 'Payment received' }).waitFor()
  await isEffective(page)
})

it('two tabs lead to one payment, and the second one learns that it is paid', async () => {
  const one = await inside('admin', 'en')
  const address = await ordered(one, 'paytabs')
  const two = await one.context().newPage()
  await toCards(one, address)
  await panel(two, address)
  await chooseCard(one, '4242 4242 4242 4242')
  await back(one, address)
  await note(one, 'Payment received').waitFor()
  await button(two, words.en.card).click()
  await two.locator('.toast', { hasText: 'Payment received' }).waitFor()
  await isEffective(two)
})

it('without a line it says that paying needs one, and goes on when it is back', async () => {
  const page = await inside('admin', 'en', tablet)
  await controlled(page)
  const address = await ordered(page, 'payline')
  await panel(page, address)
  await page.context().setOffline(true)
  await page.locator('.payment-offline', { hasText: 'Paying needs a connection.' }).waitFor()
  expect(await button(page, words.en.card).getAttribute('aria-disabled')).toBe('true')
  await page.context().setOffline(false)
  await page.locator('.payment-offline').waitFor({ state: 'detached', timeout: 30_000 })
  await button(page, words.en.card).click()
  await page.waitForURL(/\/pay\/card\//)
})
