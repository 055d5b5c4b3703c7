/** The contract list and what hangs on it, as people use it (M61 to M69, D53, D65). */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type people, seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { filesKept, partKept } from '#tests/support/parts.ts'
import { address, controlled, desk, listed, rows, setUp, tablet } from '#tests/support/visit.ts'

const { the, ends } = setUp()

async function enter(who: keyof typeof people, path = '/app/contract', options: BrowserContextOptions = desk) {
  const context = await the.browser.newContext({ ...options, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, who, path)
  return page
}

const row = (page: Page, code: string) => rows(page).filter({ hasText: code })
async function act(page: Page, code: string, name: string) {
  await row(page, code).locator('[aria-haspopup=menu]').click()
  await page.getByRole('menuitem', { name, exact: true }).click()
}
const codes = (page: Page) => page.locator('tbody .order-code').allInnerTexts()

describe('the contract list', () => {
  it('has a row for each service with what is to be done about it, and leads to its page', async () => {
    const page = await enter('admin')
    await listed(page)
    expect(await page.locator('thead th').allInnerTexts()).toEqual([
      'Service code',
      'Name',
      'Created',
      'Expiry date',
      'Status',
      'Actions',
    ])
    expect((await codes(page)).toSorted()).toEqual(['acmehr', 'acmeold', 'acmeshop', 'acmetest', 'acmetrade'])
    expect(await row(page, 'acmehr').innerText()).toMatch(/Unpaid\s+Pay by \d{4}-\d\d-\d\d/)
    expect(await row(page, 'acmetest').innerText()).toMatch(/Effective\s+Change unpaid:\s+HKD [\d,]+\.\d\d\s+Pay by/)
    const shade = (code: string) => row(page, code).evaluate((line) => getComputedStyle(line).backgroundColor)
    expect(await shade('acmeold')).not.toBe(await shade('acmetrade'))
    expect(await seriousTrouble(page)).toEqual([])
    // What is invalid opens nothing, and its button says why.
    const dead = row(page, 'acmeshop').getByRole('button', { name: 'Manage acmeshop' })
    expect(await dead.getAttribute('aria-disabled')).toBe('true')
    await row(page, 'acmetrade').locator('td').nth(3).click()
    await page.waitForURL((url) => /\/app\/contract\/\d+$/.test(url.pathname))
  })

  it('says where a running service is', async () => {
    const page = await enter('admin')
    await listed(page)
    expect(await page.getByRole('button', { name: 'Addresses of acmehr' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Addresses of acmetrade' }).click()
    const dialog = page.getByRole('dialog', { name: 'Service acmetrade' })
    await dialog.getByRole('link').last().waitFor()
    expect((await dialog.getByRole('link').allInnerTexts()).map((text) => text.trim())).toEqual([
      'https://www.acmetrade.m18.example/',
      'https://admin.acmetrade.m18.example/',
    ])
  })

  it('is searched, filtered and sorted by its address, without a line as well', async () => {
    const page = await enter('admin', '/app/contract', tablet)
    await listed(page)
    await controlled(page)
    await partKept(page, 'orders')
    await page.context().setOffline(true)
    await page.getByRole('textbox', { name: 'Search service code or name' }).fill('ACME, to')
    await expect.poll(() => codes(page)).toEqual(['acmetest'])
    await expect.poll(() => address(page).searchParams.get('searchText')).toBe('ACME, to')
    await page.getByRole('button', { name: /Remove filter Search/ }).click()
    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'Expired' })
    await expect.poll(() => codes(page)).toEqual(['acmeold'])
    await expect.poll(() => address(page).searchParams.get('status')).toBe('2')
    await page.reload()
    await expect.poll(() => codes(page)).toEqual(['acmeold'])
    await page.getByRole('button', { name: /Remove filter Status/ }).click()
    await page.locator('th button', { hasText: 'Service code' }).click()
    await expect.poll(() => codes(page)).toEqual(['acmehr', 'acmeold', 'acmeshop', 'acmetest', 'acmetrade'])
    const calendar = page.getByRole('button', { name: 'Calendar' })
    await expect.poll(() => calendar.getAttribute('aria-disabled')).toBe('true')
    expect(await sidewaysScroll(page)).toBe(0)
  })

  it('deletes what is not in effect, after a warning', async () => {
    const page = await enter('admin')
    await listed(page)
    await act(page, 'acmeshop', 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete acmeshop?' })
    await dialog.getByRole('button', { name: 'Keep it' }).click()
    expect(await row(page, 'acmeshop').count()).toBe(1)
    await act(page, 'acmeshop', 'Delete')
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Delete successfully.').waitFor()
    await expect.poll(() => row(page, 'acmeshop').count()).toBe(0)
  })

  it('offers what has ended once more', async () => {
    const page = await enter('admin')
    await listed(page)
    const told = await row(page, 'acmeold').innerText()
    await act(page, 'acmeold', 'Order again')
    // The address names the order only until the form is filled from it.
    await page.waitForURL((url) => url.pathname.endsWith('/app/contract/new'))
    const name = page.locator('[name="name"]')
    await expect.poll(() => name.inputValue()).not.toBe('')
    expect(told).toContain(await name.inputValue())
  })

  it('orders nothing without a price list, says why, and leads back to itself from the wizard (M68)', async () => {
    const page = await enter('globex', '/app/home', { ...desk, serviceWorkers: 'block' })
    // Our server's own answer but for what it says: one of somebody else's would count as no line at all.
    await page.route('**/api/price?**', async (route) => {
      const json = { errorCode: 'NOT_FOUND', errorMessage: 'none', data: null }
      await route.fulfill({ response: await route.fetch(), status: 404, json })
    })
    // Asked once more than is looked at: what is still on its way when the browser goes is nobody's mistake.
    ends.push(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
    await page.goto(`${the.portal.url}/saas/app/contract/new`)
    await page.waitForURL((url) => url.pathname.endsWith('/app/contract'))
    const create = page.getByRole('button', { name: 'New contract' })
    await create.waitFor()
    await expect
      .poll(() =>
        create.evaluate((one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.innerText),
      )
      .toBe('There is no price list in force. Please ask your provider.')
  })
})

describe('printing', () => {
  it('opens the contract in a tab of its own, in Chinese too, once', async () => {
    const page = await enter('globex', '/app/contract?lang=zh', { ...tablet, locale: 'zh-CN' })
    await listed(page)
    const [tab] = await Promise.all([page.context().waitForEvent('page'), act(page, 'globex01', '打印')])
    await tab.getByRole('heading', { name: '服务合同' }).waitFor()
    expect(await tab.locator('.capitals').innerText()).toMatch(/大写\s+[零壹贰叁肆伍陆柒捌玖拾佰仟万亿]+元整/)
    expect(await tab.title()).toMatch(/^服务合同 C\d+ · 环球贸易$/)
    const pdf = await tab.pdf({ preferCSSPageSize: true })
    expect(pdf.toString('latin1')).toMatch(/MediaBox\s*\[0 0 59[45][\d.]* 84[12]/)
    await tab.reload()
    await tab.getByRole('heading', { name: '此打印地址已失效' }).waitFor()
  })

  it('has a way to the document where no tab was to be had', async () => {
    const page = await enter('admin')
    await listed(page)
    await page.evaluate(() => {
      const real = window.open.bind(window)
      window.open = (...given) => {
        window.open = real
        return given[0] === '' ? null : real(...given)
      }
    })
    await act(page, 'acmetrade', 'Print')
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('button', { name: 'Open it' }).click(),
    ])
    await tab.getByRole('heading', { name: 'Service contract' }).waitFor()
  })
})

describe('the provider’s admins', () => {
  it('choose whose contracts of which client type are listed (M67, D53)', async () => {
    const page = await enter('staff')
    await page.getByRole('heading', { name: 'No contracts yet' }).waitFor()
    await page.getByRole('button', { name: 'Tools' }).click()
    await page.getByRole('menuitem', { name: 'Choose a company' }).click()
    await page.getByLabel('Company code or name').fill('acme')
    await page.getByRole('button', { name: /Acme Trading Limited/ }).click()
    await listed(page)
    expect(await codes(page)).toContain('acmetrade')
    await page.reload()
    await listed(page)
    await page.getByRole('button', { name: 'Remove filter Company: Acme Trading Limited' }).waitFor()
    await page.getByRole('button', { name: 'Tools' }).click()
    await page.getByRole('menuitemradio', { name: 'Client type: mma' }).click()
    await page.getByRole('heading', { name: 'No contracts yet' }).waitFor()
  })

  it('alone have these tools', async () => {
    const page = await enter('admin')
    await listed(page)
    expect(await page.getByRole('button', { name: 'Tools' }).count()).toBe(0)
  })
})

describe('home', () => {
  it('tells who orders what is due and what happened last, without a line as well', async () => {
    const page = await enter('admin', '/app/home')
    const part = page.getByRole('region', { name: 'Contracts' })
    await part.getByText(/Acme people: New contract, pay by \d{4}-\d\d-\d\d/).waitFor()
    await part.getByText(/Acme, to try things out ends on \d{4}-\d\d-\d\d/).waitFor()
    expect(await part.getByText(/Acme, to try things out: Change, pay by/).count()).toBe(1)
    expect(await seriousTrouble(page)).toEqual([])
    await controlled(page)
    await partKept(page, 'orders')
    await page.context().setOffline(true)
    await page.reload()
    await part.getByText(/Acme people: New contract/).waitFor()
  })

  it('says nothing of it to others, whose devices do not keep the part', async () => {
    const page = await enter('clerk', '/app/home')
    await controlled(page)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.getByRole('region', { name: 'Contracts' }).count()).toBe(0)
    // It answers in turn: what it was asked to keep before, it has begun to.
    await page.evaluate(async () => {
      const { port1, port2 } = new MessageChannel()
      const answered = new Promise((resolve) => (port1.onmessage = resolve))
      navigator.serviceWorker.controller?.postMessage({ type: 'build' }, [port2])
      await answered
    })
    expect(await page.evaluate(() => caches.keys())).not.toContainEqual(expect.stringMatching(/^portal-staff-/))
    expect(await filesKept(page, 'orders')).toBe(0)
  })
})

describe('the calendar', () => {
  it('has an address that programs can read until it is ended', async () => {
    const page = await enter('admin')
    await listed(page)
    await page.getByRole('button', { name: 'Calendar' }).click()
    await page.getByRole('button', { name: 'Make an address' }).click()
    const url = await page.locator('.order-calendar code').innerText()
    const feed = () => fetch(`${the.portal.url}${new URL(url).pathname}`)
    const text = await (await feed()).text()
    expect(text).toContain('BEGIN:VEVENT')
    expect(text).toMatch(/DTSTART;VALUE=DATE:\d{8}/)
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByRole('button', { name: 'Calendar' }).click()
    await page.getByText(/There has been an address since/).waitFor()
    await page.getByRole('button', { name: 'End the address' }).click()
    await page.getByText('The address no longer works.').waitFor()
    expect((await feed()).status).toBe(404)
  })
})
