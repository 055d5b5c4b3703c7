/** Ordering in four steps (M70 to M80), with a line and without one. */
import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type people, signIn } from '#tests/support/browser.ts'
import { expectFine } from '#tests/support/looks.ts'
import { partKept } from '#tests/support/parts.ts'
import { controlled, desk, phone, setUp, tablet } from '#tests/support/visit.ts'
import {
  ask,
  choose,
  dearer,
  dialog,
  field,
  fill,
  newPrices,
  order,
  type Ordered,
  ordersOf,
  step,
  submit,
} from '#tests/support/wizard.ts'

const { the, ends } = setUp()

async function inside(who: keyof typeof people, options: BrowserContextOptions = desk, path = '/app/contract/new') {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, who, path)
  await field(page, 'code').waitFor()
  return { page, context }
}
const amount = (page: Page) => page.locator('.price-amount').innerText()
/** How many answers of a call the device keeps; with `delete` none from then on. Runs in the page. */
async function readingsOf(asked: string): Promise<number> {
  const [path = '', act] = asked.split(' ')
  const names = (await indexedDB.databases()).map(({ name }) => name ?? '')
  const name = names.find((one) => /^portal-\d+-\d+$/.test(one)) ?? ''
  const result = <T>(request: IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error(path))
    })
  const db = await result(indexedDB.open(name))
  const readings = db.transaction('readings', 'readwrite').objectStore('readings')
  const keys = (await result(readings.getAllKeys())).filter((key) => String(key).startsWith(path))
  if (act) for (const key of keys) await result(readings.delete(key))
  db.close()
  return keys.length
}
const errors = (page: Page) => page.locator('.field-error').allInnerTexts()

it('the number and the price follow the hand on the slider, and what stands there when it rests is what is kept (Q2)', async () => {
  const { page } = await inside('admin')
  await fill(page, 'wizhand', { users: '10' })
  const slider = page.locator('.users-range')
  const read = () => Promise.all([slider.inputValue(), field(page, 'users').inputValue(), amount(page)])
  await slider.scrollIntoViewIfNeeded()
  const to = async (part: number) => {
    const box = await slider.boundingBox()
    if (!box) throw new Error('there is no slider')
    await page.mouse.move(box.x + box.width * part, box.y + box.height / 2)
  }
  await to(0.1)
  await page.mouse.down()
  const seen: string[] = []
  for (const part of [0.3, 0.5, 0.7]) {
    await to(part)
    const [told, number, price] = await read()
    expect(number).toBe(told)
    seen.push(price)
  }
  expect(new Set(seen).size).toBe(3)
  await page.mouse.up()
  const [told, , price] = await read()
  // Drawn from what the form holds: twice, and nothing of it is another.
  await field(page, 'uat').check()
  await expect.poll(() => amount(page)).not.toBe(price)
  await field(page, 'uat').uncheck()
  await expect.poll(() => amount(page)).toBe(price)
  expect(price).toBe(seen.at(-1))
  expect(await field(page, 'users').inputValue()).toBe(told)

  await page.locator('.price-why summary').click()
  await slider.press('ArrowLeft')
  expect(await field(page, 'users').inputValue()).toBe(String(Number(told) - 1))
  const now = await amount(page)
  expect(now).not.toBe(price)
  const due = page.locator('.why-due > .why-line').first()
  expect(await due.innerText()).toContain(now)
  // The reasons follow the hand as well: lines of ranges come and go, and what each says adds up to what is due.
  const lines = page.locator('.why-users')
  await to(0.9)
  await page.mouse.down()
  const many = await lines.count()
  for (const part of [0.6, 0.02]) {
    await to(part)
    const [, number, price] = await read()
    expect(await due.innerText()).toContain(price)
    const counts = (await lines.allInnerTexts()).map((line) => Number(/: (\d+) ×/.exec(line)?.[1]))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(Number(number))
  }
  expect(await lines.count()).toBeLessThan(many)
  await page.mouse.up()
  expect(await due.innerText()).toContain(await amount(page))
  await page.locator('.price-why summary').click()
  // Held, and not let go: it is kept all the same.
  await to(0.7)
  await page.mouse.down()
  await to(0.4)
  const [held] = await read()
  await page.waitForTimeout(2_000)
  await page.reload()
  await field(page, 'code').waitFor()
  expect(await field(page, 'users').inputValue()).toBe(held)
  expect(await slider.inputValue()).toBe(held)
})

it('a contract is ordered step by step, at the price that stood beside the form', async () => {
  const { page } = await inside('admin')
  await fill(page, 'Wizone', { users: '25' })
  // Forced to lower case while it is typed.
  expect(await field(page, 'code').inputValue()).toBe('wizone')
  await field(page, 'uat').check()
  await field(page, 'period').fill('2')
  await submit(page).click()
  await expect.poll(() => step(page)).toContain('Modules')
  await expectFine(page, 'the choice of modules')

  await order(page).click()
  await expect.poll(() => errors(page)).toEqual(['Please select at least one module.'])
  await field(page, 'module-scm').click()
  await dialog(page).getByText('Supply chain needs these modules.').waitFor()
  expect(await dialog(page).locator('li').allInnerTexts()).toEqual(['Finance fin', 'Core core'])
  await dialog(page).getByText('HKD 64,800.00 → HKD 174,001.20 (+109,201.20)').waitFor()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect(await field(page, 'module-scm').isChecked()).toBe(false)
  await choose(page, 'scm')
  // G06 of the agreed examples.
  await expect.poll(() => amount(page)).toBe('HKD 174,001.20')
  await page.locator('.modules-auto').getByText('Platform').waitFor()
  await page.locator('.price-why summary').click()
  await page.getByText('UAT system: 20.00 % of 72,500.50').waitFor()

  await field(page, 'module-fin').click()
  await dialog(page).getByText('These modules need Finance.').waitFor()
  await dialog(page).getByRole('button', { name: 'Remove 2 modules' }).click()
  await expect.poll(() => field(page, 'module-scm').isChecked()).toBe(false)
  await choose(page, 'scm')

  await order(page).click()
  await expect.poll(() => step(page)).toContain('Payment')
  await page.getByText('The order wizone is made.').waitFor()
  expect(await ordersOf(page, 'wizone')).toMatchObject([{ state: 'unpaid', amount: '174001.20' }])
  expect(await page.locator('.made-modules li').count()).toBe(5)
  await expectFine(page, 'the confirmation')
})

it('Back from the payment keeps everything, and going on replaces the unpaid order by the new one (D36)', async () => {
  const { page } = await inside('admin', tablet)
  await fill(page, 'wizback')
  await submit(page).click()
  await choose(page, 'core')
  await order(page).click()
  await expect.poll(() => step(page)).toContain('Payment')
  const [first] = await ordersOf(page, 'wizback')
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByText('Your order wizback is unpaid.').waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await field(page, 'users').fill('12')
  await submit(page).click()
  await order(page).click()
  await expect.poll(() => step(page)).toContain('Payment')
  // Not asked again: it was made of this very draft.
  const [second] = await ordersOf(page, 'wizback')
  expect(second?.id).not.toBe(first?.id)
  expect(await ask<Ordered>(page, 'GET', `/api/sorder/${first?.id}`)).toMatchObject({ body: { state: 'invalid' } })

  await page.reload()
  await page.getByText('The order wizback is made.').waitFor()
  expect(await step(page)).toContain('Payment')
})

it('付款后向导显示结果', async () => {
  const { page } = await inside('staff', { ...tablet, colorScheme: 'dark' }, '/app/contract/new?lang=zh')
  await fill(page, 'wizstaff')
  await submit(page).click()
  await choose(page, 'doc')
  await order(page).click()
  await page.locator('.payment').waitFor()
  await page.locator('.payment input[value=simulate]').click()
  await page.locator('.payment .button.primary').click()
  await page.getByRole('heading', { name: '合同已生效' }).waitFor()
  await page.getByText('系统正在设置，请等待 3 至 5 分钟。').waitFor()
  expect(await ordersOf(page, 'wizstaff')).toMatchObject([{ state: 'effective', amount: '20000.00' }])
  // What is done is no draft any more.
  await page.reload()
  await expect.poll(() => field(page, 'code').inputValue()).toBe('')
})

it('says what is wrong at its field, and whether a code is taken when it is left', async () => {
  const { page } = await inside('admin')
  await submit(page).click()
  await expect
    .poll(() => errors(page))
    .toEqual(['Please input "Service code" as it\'s required.', 'Please input "Name" as it\'s required.'])
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('code')
  await field(page, 'code').fill('select')
  await field(page, 'name').fill('Select')
  await submit(page).click()
  await page.getByText('"select" is reserved by system').waitFor()
  await field(page, 'code').fill('globex01')
  await field(page, 'name').focus()
  await page.getByText('"globex01" is occupied.').waitFor()
  await field(page, 'code').fill('wizfree')
  await field(page, 'name').focus()
  await page.getByText('This code is free.').waitFor()
  await field(page, 'users').fill('4')
  await submit(page).click()
  await page.getByText('Please use at least 5 users.').waitFor()
  // The other mode asks for ten: raised, and not lowered again.
  await field(page, 'users').fill('7')
  await page.getByRole('radio', { name: /Named/ }).check()
  expect(await field(page, 'users').inputValue()).toBe('10')
  await page.getByRole('radio', { name: /Concurrent/ }).check()
  expect(await field(page, 'users').inputValue()).toBe('10')
  // The bound of the list in the currency that is chosen (D1).
  await page.getByText('for 20.00 % of the fee a year, at least HKD 5,000.00.').waitFor()
  await page.getByRole('radio', { name: 'USD' }).check()
  await page.getByText('for 20.00 % of the fee a year, at least USD 640.00.').waitFor()
  await expectFine(page, 'the first step')
})

it('an unpaid order of the same code is replaced once that was said and agreed to (D32)', async () => {
  const { page } = await inside('admin')
  await page.getByText(/There (is an|are \d) unpaid order/).waitFor()
  const [old] = await ordersOf(page, 'acmehr')
  await fill(page, 'acmehr')
  await page.getByText('The unpaid order acmehr is replaced by the new one').waitFor()
  await submit(page).click()
  await choose(page, 'hr')
  await order(page).click()
  await dialog(page).getByText('Replace the unpaid order acmehr?').waitFor()
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  expect((await ordersOf(page, 'acmehr'))[0]?.id).toBe(old?.id)
  await order(page).click()
  await dialog(page).getByRole('button', { name: 'Replace it' }).click()
  await expect.poll(() => step(page)).toContain('Payment')
  const [now] = await ordersOf(page, 'acmehr')
  expect(now?.id).not.toBe(old?.id)
})

it('the form comes with the list of unpaid orders above it, and is not pushed away by it', async () => {
  const context = await the.browser.newContext({ ...tablet, serviceWorkers: 'block' })
  ends.push(() => context.close())
  const page = await context.newPage()
  let asked = 0
  await page.route('**/api/**status=0**', async (route) => {
    asked++
    await wait(600)
    await route.continue()
  })
  await page.addInitScript(`{
    globalThis.tops = []
    const look = () => {
      const top = document.querySelector('[name=code]')?.getBoundingClientRect().top
      if (top !== undefined && top !== tops.at(-1)) tops.push(top)
      requestAnimationFrame(look)
    }
    look()
  }`)
  await signIn(page, the.portal, 'admin', '/app/contract/new')
  await field(page, 'code').waitFor()
  await page.locator('.unpaid-list').waitFor()
  expect(asked).toBe(1)
  expect(await page.evaluate('tops.length')).toBe(1)
})

it.each(Object.entries({ desk, tablet, phone }))('a draft begins without moving the form, %s', async (_, options) => {
  const { page } = await inside('globex', options)
  const top = async () => (await field(page, 'code').boundingBox())?.y
  await page.waitForLoadState('networkidle')
  const before = await top()
  await field(page, 'name').pressSequentially('Ours')
  await page.locator('.draft-note button').waitFor()
  expect(await top()).toBe(before)
})

it('"order again" fills the form from an order, and leaves a draft of one\'s own alone until that is said', async () => {
  const { page } = await inside('admin')
  const [old] = await ordersOf(page, 'acmetrade')
  await page.goto(`${the.portal.url}/saas/app/contract/new?from=${old?.id}`)
  await expect.poll(() => field(page, 'name').inputValue()).toBe('Acme trading')
  expect(await field(page, 'code').inputValue()).toBe('')
  expect(await field(page, 'users').inputValue()).toBe('40')
  await page.locator('.draft-note button').waitFor()
  await field(page, 'name').fill('My own')
  await page.goto(`${the.portal.url}/saas/app/contract/new?from=${old?.id}`)
  await page.getByText('You have a draft here already.').waitFor()
  expect(await field(page, 'name').inputValue()).toBe('My own')
  await page.getByRole('button', { name: 'Order acmetrade again' }).click()
  await expect.poll(() => field(page, 'name').inputValue()).toBe('Acme trading')
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await dialog(page).getByRole('button', { name: 'Discard draft' }).click()
  await expect.poll(() => field(page, 'name').inputValue()).toBe('')
})

it('whoever has seen the list orders without a line, and what is not here is said (P-10)', async () => {
  const context = await the.browser.newContext(tablet)
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, 'admin')
  await controlled(page)
  await partKept(page, 'orders')
  await page.goto(`${the.portal.url}/saas/app/contract`)
  const kept = () => page.evaluate(readingsOf, '/api/module/info')
  await expect.poll(kept).toBe(1)
  await context.setOffline(true)
  await page.goto(`${the.portal.url}/saas/app/contract`)
  await page.locator('main tbody a', { hasText: 'acmetrade' }).click()
  // It was listed and never opened: as old as the list, its modules by their names.
  await page.locator('.order-intro').getByText('as of').waitFor()
  await page.locator('main').getByText('Supply chain').first().waitFor()
  await page.goto(`${the.portal.url}/saas/app/contract/new`)
  await fill(page, 'wizaway', { users: '25' })
  await expect.poll(() => amount(page)).toContain('HKD')
  await page.evaluate(readingsOf, '/api/module/info delete')
  await page.reload()
  await page.getByText('What can be ordered could not be read yet.').waitFor()
  await context.setOffline(false)
  await field(page, 'code').waitFor()
  expect(await field(page, 'code').inputValue()).toBe('wizaway')
})

it('a quote made offline is bought online, and another price is shown before anything is ordered (D89)', async () => {
  const { page, context } = await inside('admin', phone)
  await controlled(page)
  await partKept(page, 'orders')
  await context.setOffline(true)
  await page.reload()
  await fill(page, 'wizline', { users: '11' })
  await field(page, 'name').focus()
  await page.getByText('Whether it is free is checked when the line is back; nothing is lost.').waitFor()
  await page.getByText('Worked out on this device').waitFor()
  await submit(page).click()
  await choose(page, 'fin')
  await expect.poll(() => amount(page)).toBe('HKD 43,000.00')
  await order(page).click()
  await page.getByText('There is no connection; nothing was ordered').waitFor()
  await page.reload()
  expect(await step(page)).toContain('Modules')
  expect(await field(page, 'module-fin').isChecked()).toBe(true)
  await expectFine(page, 'the wizard without a line')

  // Meanwhile the prices change.
  const staff = await inside('staff')
  await newPrices(staff.page, dearer('core', '12500.00'))

  await context.setOffline(false)
  await page.getByText('The price is another one than you saw. Nothing has been ordered.').waitFor({ timeout: 30_000 })
  expect(await page.locator('.compared dd').allInnerTexts()).toEqual(['HKD 43,000.00', 'HKD 43,500.00'])
  expect(await ordersOf(page, 'wizline')).toEqual([])
  await page.getByRole('button', { name: 'Create order · HKD 43,500.00' }).click()
  await expect.poll(() => step(page)).toContain('Payment')
  expect(await ordersOf(page, 'wizline')).toMatchObject([{ state: 'unpaid', amount: '43500.00' }])
})
