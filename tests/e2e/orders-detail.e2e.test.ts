/** A contract's page as people use it: looked at, modified, extended, paid, deleted, with a line and without (contracts 2). */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type people, signIn } from '#tests/support/browser.ts'
import { expectFine } from '#tests/support/looks.ts'
import { partKept } from '#tests/support/parts.ts'
import { controlled, desk, phone, setUp, tablet } from '#tests/support/visit.ts'

const { the, ends } = setUp()
let page: Page

async function enter(options: BrowserContextOptions = desk, who: keyof typeof people = 'admin', at = '/app/contract') {
  const context = await the.browser.newContext({ ...options, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  page = await context.newPage()
  await signIn(page, the.portal, who, at)
}

/** By the page's own session. */
const call = <T>(method: string, path: string, body?: object, type = 'application/json'): Promise<T> =>
  page.evaluate(
    async ([how, where, what, kind]) => {
      const access = document.cookie.match(/portal-access=([^;]+)/)?.[1] ?? ''
      const headers = {
        authorization: `Bearer ${access}`,
        'idempotency-key': crypto.randomUUID(),
        ...(what === null ? {} : { 'content-type': kind }),
      }
      const answer = await fetch(where, { method: how, headers, ...(what === null ? {} : { body: what }) })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${how} ${where}: ${text}`)
      return text === '' ? null : (JSON.parse(text) as unknown)
    },
    [method, path, bodyOf(body, type), type] as const,
  ) as Promise<T>

const form = 'application/x-www-form-urlencoded'
function bodyOf(body: object | undefined, type: string): string | null {
  if (body === undefined) return null
  return type === form ? String(new URLSearchParams(body as Record<string, string>)) : JSON.stringify(body)
}

interface Order extends Record<'id' | 'contract_id', number>, Record<'code' | 'amount', string> {
  state: string
  pending: { id: number; amount: string } | null
}
async function idOf(code: string): Promise<number> {
  const { company_id } = await call<{ company_id: number }>('GET', '/api/m18s/user')
  const { data } = await call<{ data: Order[] }>('GET', `/api/company/${company_id}/sorder?results=50`)
  const found = data.find((order) => order.code === code)
  if (!found) throw new Error(`there is no order ${code}`)
  return found.id
}
const read = (id: number) => call<Order>('GET', `/api/sorder/${id}`)

async function open(id: number, query = '') {
  await page.goto(`${the.portal.url}/saas/app/contract/${id}${query}`)
  await page.locator('.order-intro').waitFor()
}
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
const dialog = (name: string | RegExp) => page.getByRole('dialog', { name })
const fact = (name: string) =>
  page.locator('dl.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')
const due = () => page.locator('.order-due .amount').textContent()
const submit = () => page.locator('form button[type="submit"]')
const users = () => page.locator('input[name="users"]')
const toast = (text: string) => page.locator('.toast', { hasText: text }).first().waitFor()
const path = () => new URL(page.url()).pathname.replace('/saas', '')
async function cut() {
  await controlled(page)
  await partKept(page, 'orders')
  await page.context().setOffline(true)
}

/** A contract in effect that no other test knows. */
async function bought(code: string, more: object = {}): Promise<number> {
  const wish = {
    code,
    name: `Test ${code}`,
    currency: 'HKD',
    user_mode: 'CONCURRENT',
    users: 25,
    modules: ['core', 'fin'],
    period: 1,
    period_start: today(),
    ...more,
  }
  const { id } = await call<Order>('POST', '/api/sorder', wish)
  await paid(id)
  return id
}
async function paid(id: number): Promise<void> {
  const card = { type: 'stripe', contractType: 'CONTRACT', token: 'pm_card_visa' }
  expect(await call('POST', `/api/payment/${id}`, card, form)).toEqual({ status: 'paid' })
}
/** A contract of one's own on its page. */
async function at(code: string, options: BrowserContextOptions = desk): Promise<number> {
  await enter(options)
  const id = await bought(code)
  await open(id)
  return id
}
/** The day in Hong Kong, as the server reckons it (D31). */
const today = () => new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Hong_Kong' }).format(new Date())

describe('an order of each status', () => {
  it('effective: what was agreed, its history, and where its service is (M97 to M99, M104)', async () => {
    await enter()
    await open(await idOf('acmetrade'))
    expect(await page.locator('h1').textContent()).toBe('Acme trading')
    expect(await fact('Number of users').textContent()).toBe('40')
    expect(await fact('Currency').textContent()).toBe('HKD')
    const history = page.locator('.order-history tbody tr')
    await expect.poll(() => history.count()).toBe(2)
    expect(await history.first().textContent()).toContain('Effective')
    expect(await history.last().textContent()).toContain('Replaced')
    // The last day, as the server says it; nothing is taken from it again (D18).
    const { expired_date } = await call<{ expired_date: string }>('GET', `/api/sorder/${await idOf('acmetrade')}`)
    expect(await fact('Expiry date').textContent()).toBe(expired_date)
    await button('More').click()
    await page.getByRole('menuitem', { name: 'Service info' }).click()
    await dialog('Service acmetrade').getByRole('link').first().waitFor()
    await dialog('Service acmetrade').getByRole('button', { name: 'Close' }).last().click()
    await dialog('Service acmetrade').waitFor({ state: 'detached' })
    await expectFine(page, 'an effective contract')
  })

  it('unpaid: until when it is to be paid; expired: extended first; invalid and unknown: not there (M96, D29, D30)', async () => {
    await enter(tablet, 'admin', '/app/contract?lang=zh')
    await page.goto(`${the.portal.url}/saas/app/contract/${await idOf('acmehr')}`)
    await page.getByText('该订单尚未付款').waitFor()
    await page.getByRole('button', { name: /^支付 USD/ }).waitFor()
    expect(await page.locator('.order-history').count()).toBe(0)
    await expectFine(page, 'an unpaid order')
    await open(await idOf('acmeold'))
    await page.getByText('该合同已到期').waitFor()
    expect(await button('修改').getAttribute('aria-disabled')).toBe('true')
    for (const wrong of [String(await idOf('acmeshop')), '999999', 'abc', '~x']) {
      await page.goto(`${the.portal.url}/saas/app/contract/${wrong}`)
      await expect.poll(path).toBe('/app/contract')
    }
  })

  it('replaced: cannot be modified any more, and leads to the one in effect (M97)', async () => {
    await enter(phone)
    const { contract_id } = await read(await idOf('acmetrade'))
    const [, first] = await call<{ order_id: number }[]>('GET', `/api/contract/${contract_id}/history`)
    await open(first?.order_id ?? 0)
    await page.getByText('A newer contract has taken the place of this one.').waitFor()
    expect(await button('Modify').count()).toBe(0)
    expect(await button('Extend').getAttribute('aria-disabled')).toBe('true')
    await expectFine(page, 'a replaced contract')
    await page.getByRole('link', { name: 'Find the one in effect' }).click()
    await page.getByRole('link', { name: 'acmetrade' }).click()
    await page.getByRole('button', { name: 'Modify' }).waitFor()
  })
})

describe('a contract is modified', () => {
  it('up: what changes and what it costs, ordered by the server’s figure and paid at the gateway (M100, M101)', async () => {
    const id = await at('upward')
    await button('Modify').click()
    await users().fill('35')
    // 10 more users at 1,000.00 for the whole first year (G19).
    await expect.poll(due).toBe('HKD 10,000.00')
    await page.locator('input[name="module-scm"]').check()
    await expect.poll(due).toBe('HKD 25,500.50')
    expect(await page.locator('.order-compared').textContent()).toContain('Added: Supply chain')
    expect(await page.locator('.order-stretches tbody tr').count()).toBe(1)
    await page.getByText('Why this amount').click()
    await expectFine(page, 'the form of a change')
    expect(await submit().textContent()).toBe('Order change · HKD 25,500.50')
    await submit().click()
    const pay = dialog('Pay upward')
    await pay.getByRole('button', { name: 'Pay HKD 25,500.50 by card' }).click()
    await page.waitForURL((url) => url.pathname.includes('/checkout') || url.port !== new URL(the.portal.url).port)
    await page.locator('form button').first().click()
    await page.waitForURL((url) => url.pathname.startsWith('/saas/app/contract/'))
    await page.locator('.payment-note.paid').waitFor({ timeout: 30_000 })
    expect((await read(id)).pending).toBeNull()
    await expect.poll(() => fact('Number of users').textContent()).toBe('35')
    await expect.poll(() => page.locator('.order-history tbody tr').count()).toBe(2)
  })

  it('down: nothing is due, said in words, and it takes effect at once (D14, D15)', async () => {
    await enter(tablet)
    const id = await bought('downward')
    await open(id, '?edit=1')
    await users().fill('10')
    await page.locator('input[name="module-fin"]').click()
    // A module of the contract does not go unasked (contracts 2).
    const asked = dialog('Remove Finance')
    await asked.getByText('The service uses what is removed here.').waitFor()
    await asked.getByRole('button', { name: 'Remove 1 module' }).click()
    await expect.poll(due).toBe('HKD 0.00')
    await page.getByText('The difference is not returned').waitFor()
    await page.getByText('There is nothing to pay').waitFor()
    await submit().click()
    await toast('It is in effect now.')
    await expect.poll(path).not.toBe(`/app/contract/${id}`)
    await expect.poll(() => fact('Number of users').textContent()).toBe('10')
    expect((await read(id)).state).toBe('overwritten')
  })

  it('not at all: nothing changed cannot be saved, cancel asks and leaves all as it was, a reload loses nothing', async () => {
    await at('unchanged')
    await button('Modify').click()
    await page.locator('.order-edit').waitFor()
    expect(await submit().getAttribute('aria-disabled')).toBe('true')
    await users().fill('')
    await page.getByText('Please input "Number of users" as it\'s required.').waitFor()
    await users().fill('31')
    await page.reload()
    await expect.poll(() => users().inputValue()).toBe('31')
    await button('Cancel').click()
    await page.getByText('Your changes are not saved yet.').waitFor()
    await button('Keep editing').click()
    expect(await users().inputValue()).toBe('31')
    await button('Cancel').click()
    await button('Discard changes').click()
    await expect.poll(() => fact('Number of users').textContent()).toBe('25')
    await button('Modify').click()
    await expect.poll(() => users().inputValue()).toBe('25')
  })

  it('at a price that has changed meanwhile: both figures are shown before anything is ordered (D17, D89)', async () => {
    // The page asks by itself, so that its answers can be changed on the way.
    const id = await at('repriced', { ...desk, serviceWorkers: 'block' })
    await page.route('**/api/price?*', async (route) => {
      const answer = await route.fetch()
      const list = (await answer.json()) as { concurrentUser: { hkd: string }[] }
      const dearer = list.concurrentUser.map((range) => ({ ...range, hkd: '900.00' }))
      await route.fulfill({ response: answer, json: { ...list, concurrentUser: dearer } })
    })
    ends.push(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
    await button('Refresh').click()
    await button('Modify').click()
    await users().fill('35')
    await expect.poll(due).not.toBe('HKD 10,000.00')
    const here = await due()
    await submit().click()
    const note = page.getByText('The price has changed since it was shown.')
    await note.waitFor()
    expect(await note.textContent()).toContain(`${here} → HKD 10,000.00`)
    expect((await read(id)).pending).toBeNull()
    await submit().click()
    await dialog('Pay repriced').waitFor()
    expect((await read(id)).pending?.amount).toBe('10000.00')
  })
})

describe('a contract is extended', () => {
  it('before its end: from there on; an unpaid order is replaced only with consent, and can be deleted (D32, D35)', async () => {
    const id = await at('longer')
    await button('Extend').click()
    const drawer = dialog('Extend longer')
    await drawer.getByLabel('Period (years)').fill('2')
    await page.reload()
    await button('Extend').click()
    await expect.poll(due).toBe('HKD 114,000.00') // 25 users, core and fin: 57,000.00 a year.
    await drawer.locator('button[type="submit"]').click()
    await dialog('Pay longer').getByRole('button', { name: 'Close' }).click()
    await page.getByText('An extension is not paid yet:').waitFor()
    const first = (await read(id)).pending?.id
    await button('Extend').click()
    await drawer.locator('button[type="submit"]').click()
    const warning = dialog('Replace the unpaid order?')
    await warning.getByText('HKD 114,000.00').waitFor()
    await warning.getByRole('button', { name: 'Go back' }).click()
    expect((await read(id)).pending?.id).toBe(first)
    await drawer.locator('button[type="submit"]').click()
    await warning.getByRole('button', { name: 'Replace it' }).click()
    await dialog('Pay longer').waitFor()
    await expect.poll(async () => (await read(id)).pending?.amount).toBe('57000.00')
    await dialog('Pay longer').getByRole('button', { name: 'Close' }).click()
    await page.locator('.order-note').getByRole('button', { name: 'Delete' }).click()
    await dialog(/Delete the unpaid order/)
      .getByRole('button', { name: 'Delete' })
      .click()
    await expect.poll(() => page.locator('.order-note.warning').count()).toBe(0)
    expect((await read(id)).pending).toBeNull()
  })

  it('after its end: from today, with other modules and users (M102, D16)', async () => {
    await enter(tablet, 'admin', '/app/contract?lang=zh')
    const id = await idOf('acmeold')
    await open(id)
    await button('续期').click()
    const drawer = dialog('续期 acmeold')
    expect(await drawer.locator('input[name="period_start"]').inputValue()).toBe(today())
    await expectFine(page, 'an extension after the end')
    await drawer.locator('input[name="users"]').fill('30')
    await drawer.locator('input[name="module-fin"]').check()
    await expect.poll(due).toBe('HKD 64,000.00')
    await drawer.locator('button[type="submit"]').click()
    await dialog('支付 acmeold').waitFor()
    const { pending } = await read(id)
    await paid(pending?.id ?? 0)
    await open(pending?.id ?? 0)
    await expect.poll(() => fact('用户数').textContent()).toBe('30')
    expect(await fact('开始日期').textContent()).toBe(today())
  })
})

it('an unpaid order is deleted after a warning, and its page with it (M107)', async () => {
  await enter()
  const wish = { code: 'gonesoon', name: 'Gone soon', currency: 'RMB', user_mode: 'NAMED', users: 10, modules: ['doc'] }
  const { id } = await call<Order>('POST', '/api/sorder', { ...wish, period: 1, period_start: today() })
  await open(id)
  await button('More').click()
  await page.getByRole('menuitem', { name: 'Delete order' }).click()
  const warning = dialog('Delete gonesoon?')
  await warning.getByRole('button', { name: 'Delete' }).click()
  await expect.poll(path).toBe('/app/contract')
  await page.goto(`${the.portal.url}/saas/app/contract/${id}`)
  await expect.poll(path).toBe('/app/contract')
})

it('what another tab has changed is shown without a word (C-20)', async () => {
  const id = await at('twotabs')
  await expect.poll(() => fact('Number of users').textContent()).toBe('25')
  const { contract_id } = await read(id)
  const first = page
  page = await page.context().newPage()
  await open(id)
  await call('POST', '/api/contract', { type: 'extend', contract_id, period: 1 })
  await button('Refresh').click()
  await page.getByText('An extension is not paid yet:').waitFor()
  await first.getByText('An extension is not paid yet:').waitFor()
})

it('without a line it stands as it was read, with its age; what needs the server says so (M98, P-10)', async () => {
  const id = await at('offlined')
  await expect.poll(() => page.locator('.order-history tbody tr').count()).toBe(1)
  await cut()
  await open(id)
  // With its day, where that is over meanwhile.
  await page.getByText(/^as of (\d{4}-\d\d-\d\d )?\d\d:\d\d$/).waitFor()
  await expect.poll(() => page.locator('.order-history tbody tr').count()).toBe(1)
  await button('Modify').click()
  await users().fill('35')
  await expect.poll(due).toBe('HKD 10,000.00')
  await page.getByText(/By the price list as it was read at/).waitFor()
  expect(await submit().getAttribute('aria-disabled')).toBe('true')
  await page.context().setOffline(false)
  await expect.poll(() => submit().getAttribute('aria-disabled'), { timeout: 30_000 }).toBeNull()
  await submit().click()
  await dialog('Pay offlined').waitFor()
})

it('the payment alert date is set, kept for the line, and removed, by the staff for mma (M105, D45)', async () => {
  await enter(desk, 'staff')
  const charges = { hkd: '1000.00', usd: '130.00', rmb: '900.00' }
  const { id: module_id } = await call<{ id: number }>('POST', '/api/module', {
    code: 'mbase',
    name: 'Base',
    type: 'mma',
  })
  const ranges = [{ from: 1, to: 999_999, ...charges }]
  await call('POST', '/api/pricelist', {
    type: 'mma',
    effective_date: '2026-01-01',
    desc: 'For mma',
    confirmed: true,
    concurrentUser: ranges,
    namedUser: ranges,
    module: [{ code: 'mbase', module_id, ...charges }],
  })
  const id = await bought('mmaone', { client_type: 'mma', modules: ['mbase'] })
  await page.evaluate(() => localStorage.setItem('portal.clientType', 'mma'))
  await open(id)
  const openDialog = async () => {
    await button('More').click()
    await page.getByRole('menuitem', { name: 'Payment alert date' }).click()
  }
  const over = dialog('Payment alert date of mmaone')
  const field = over.getByLabel('Payment alert date')
  await openDialog()
  await field.fill('2020-01-01')
  await over.getByRole('button', { name: 'Update' }).click()
  await over.getByText('Choose today or a later day.').waitFor()
  await field.fill('2099-01-02')
  await over.getByRole('button', { name: 'Update' }).click()
  await toast('Payment alert date updated successfully.')
  await expect.poll(() => fact('Payment alert date').textContent()).toBe('2099-01-02')
  await cut()
  await openDialog()
  await field.fill('2099-03-04')
  await over.getByRole('button', { name: 'Update' }).click()
  await toast('Saved on this device.')
  await expect.poll(() => fact('Payment alert date').textContent()).toBe('2099-03-04')
  await page.locator('.order-intro .pending-mark').waitFor()
  await page.context().setOffline(false)
  await expect.poll(() => page.locator('.order-intro .pending-mark').count(), { timeout: 30_000 }).toBe(0)
  await openDialog()
  await over.getByRole('button', { name: 'Remove date' }).click()
  await toast('Payment alert date removed successfully.')
  await expect.poll(() => fact('Payment alert date').count()).toBe(0)
})
