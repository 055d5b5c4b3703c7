/** Ordering in four steps (M70 to M80), with a line and without one. What is said at the fields is in `tests/features/orders/wizard`. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { signIn } from '#tests/support/browser.ts'
import { expectFine } from '#tests/support/looks.ts'
import { partKept } from '#tests/support/parts.ts'
import { controlled, ownCompany, resumedPage, setUpShared, tablet, typeInto } from '#tests/support/visit.ts'
import { ask, choose, dialog, field, fill, order, type Ordered, ordersOf, step, submit } from '#tests/support/wizard.ts'

const setup = setUpShared()
const { the } = setup
const { code: own, admin } = ownCompany()

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
  const readings = db.transaction('responses', 'readwrite').objectStore('responses')
  const keys = (await result(readings.getAllKeys())).filter((key) => String(key).startsWith(path))
  if (act) for (const key of keys) await result(readings.delete(key))
  db.close()
  return keys.length
}
const errors = (page: Page) => page.locator('.field-error').allInnerTexts()

it('the number and the price follow the slider, and what stands there at rest is what is kept', async () => {
  const page = await resumedPage(setup, admin, '/app/contract/new')
  await field(page, 'code').waitFor()
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
  const seen: { users: string; price: string }[] = []
  for (const part of [0.3, 0.5, 0.7]) {
    const before = await amount(page)
    await to(part)
    // The price is drawn after the number.
    await expect.poll(() => amount(page)).not.toBe(before)
    const [told, number] = await read()
    expect(number).toBe(told)
    seen.push({ users: number, price: await amount(page) })
  }
  await page.mouse.up()
  const [told, number, price] = await read()
  expect({ users: number, price }).toEqual(seen.at(-1))
  // Each price is that of its number, typed.
  for (const { users, price } of seen) {
    await field(page, 'users').fill(users)
    expect(await slider.inputValue()).toBe(users)
    await expect.poll(() => amount(page)).toBe(price)
  }

  await page.locator('.price-why summary').click()
  await slider.press('ArrowLeft')
  expect(await field(page, 'users').inputValue()).toBe(String(Number(told) - 1))
  await expect.poll(() => amount(page)).not.toBe(price)
  const due = page.locator('.why-due > .why-line').first()
  expect(await due.innerText()).toContain(await amount(page))
  // The reasons follow as well: lines of ranges come and go, and the users of them add up to the number.
  const lines = page.locator('.why-users')
  await to(0.9)
  await page.mouse.down()
  const many = await lines.count()
  for (const part of [0.6, 0.02]) {
    await to(part)
    const number = await field(page, 'users').inputValue()
    const counted = async () => {
      const counts = (await lines.allInnerTexts()).map((line) => Number(/: (\d+) ×/.exec(line)?.[1]))
      return counts.reduce((sum, count) => sum + count, 0)
    }
    await expect.poll(counted).toBe(Number(number))
    expect(await due.innerText()).toContain(await amount(page))
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
  await page.reload()
  await field(page, 'code').waitFor()
  expect(await field(page, 'users').inputValue()).toBe(held)
  expect(await slider.inputValue()).toBe(held)
})

it('a contract is ordered step by step, at the price that stood beside the form; Back from the payment keeps everything, and going on replaces the unpaid order by the new one (D36)', async () => {
  const page = await resumedPage(setup, admin, '/app/contract/new')
  await field(page, 'code').waitFor()
  await typeInto(field(page, 'code'), 'Wizone')
  await typeInto(field(page, 'name'), 'Service Wizone')
  await typeInto(field(page, 'users'), '25')
  // Forced to lower case while it is typed.
  expect(await field(page, 'code').inputValue()).toBe('wizone')
  await field(page, 'uat').check()
  await typeInto(field(page, 'period'), '2')
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
  const [first] = await ordersOf(page, 'wizone')
  expect(first).toMatchObject({ state: 'unpaid', amount: '174001.20' })
  expect(await page.locator('.made-modules li').count()).toBe(5)
  await expectFine(page, 'the confirmation')

  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByText('Your order wizone is unpaid.').waitFor()
  await page.getByRole('button', { name: 'Back' }).click()
  await field(page, 'users').fill('12')
  await submit(page).click()
  await order(page).click()
  await expect.poll(() => step(page)).toContain('Payment')
  // Not asked again: it was made of this very draft.
  const [second] = await ordersOf(page, 'wizone')
  expect(second?.id).not.toBe(first?.id)
  expect(await ask<Ordered>(page, 'GET', `/api/sorder/${first?.id}`)).toMatchObject({ body: { state: 'invalid' } })

  await page.reload()
  await page.getByText('The order wizone is made.').waitFor()
  expect(await step(page)).toContain('Payment')
  // What is done here is no draft for the next one who has the page.
  await page.getByRole('button', { name: 'Back' }).click()
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await dialog(page).getByRole('button', { name: 'Discard draft' }).click()
  await expect.poll(() => field(page, 'code').inputValue()).toBe('')
})

it('the form is not pushed away, by the list of unpaid orders above it or by a draft that begins; and both prices are shown where the server has another one (D17)', async () => {
  const context = await the.browser.newContext({ ...tablet, serviceWorkers: 'block' })
  setup.ends.push(() => context.close())
  const page = await context.newPage()
  let asked = 0
  await page.route('**/api/**status=0**', async (route) => {
    asked++
    await wait(300)
    await route.continue()
  })
  // A price list that is past by now: the core is dearer at the server.
  await page.route('**/api/price?**', async (route) => {
    const answer = await route.fetch()
    const list = (await answer.json()) as { module: { code: string; hkd: string }[] }
    const cheaper = list.module.map((row) => (row.code === 'core' ? { ...row, hkd: '11500.00' } : row))
    await route.fulfill({ response: answer, json: { ...list, module: cheaper } })
  })
  setup.ends.push(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
  // The second for which the form waits is longer here: how busy the machine is says nothing about the form.
  await page.addInitScript(`{
    const later = setTimeout
    globalThis.setTimeout = (act, ms, ...given) => later(act, ms === 1_000 ? 30_000 : ms, ...given)
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
  expect(asked).not.toBe(0)
  expect(await page.evaluate('tops.length')).toBe(1)

  // As wide as a phone.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.waitForFunction(() => document.documentElement.clientWidth === 390)
  const top = () => field(page, 'code').evaluate((input) => input.getBoundingClientRect().top + scrollY)
  const before = await top()
  await field(page, 'name').pressSequentially('Ours')
  await page.locator('.draft-note button').waitFor()
  expect(await top()).toBe(before)

  await page.setViewportSize({ width: 1024, height: 768 })
  await fill(page, 'wizprice', { users: '11' })
  await submit(page).click()
  await choose(page, 'fin')
  await order(page).click()
  await page.getByText('The price is another one than you saw. Nothing has been ordered.').waitFor()
  expect(await page.locator('.compared dd').allInnerTexts()).toEqual(['HKD 42,500.00', 'HKD 43,000.00'])
  await expectFine(page, 'the two prices')
  expect(await ordersOf(page, 'wizprice')).toEqual([])
})

it('whoever has seen the list orders without a line, and what is not here is said (P-10)', async () => {
  const page = await resumedPage(setup, admin, '/app/home')
  const context = page.context()
  await controlled(page)
  await partKept(page, 'orders')
  await page.goto(`${the.portal.url}/saas/app/contract`)
  const kept = () => page.evaluate(readingsOf, '/api/module/info')
  await expect.poll(kept).toBe(1)
  await context.setOffline(true)
  await page.goto(`${the.portal.url}/saas/app/contract`)
  await page.locator('main tbody a', { hasText: `${own}trade` }).click()
  // It was listed and never opened: as old as the list, its modules by their names.
  await page.locator('.order-intro').getByText('as of').waitFor()
  await page.locator('main').getByText('Supply chain').first().waitFor()
  await page.goto(`${the.portal.url}/saas/app/contract/new`)
  await fill(page, 'wizaway', { users: '25' })
  await field(page, 'name').focus()
  await page.getByText('Whether it is free is checked when the line is back; nothing is lost.').waitFor()
  await page.getByText('Worked out on this device').waitFor()
  await expect.poll(() => amount(page)).toContain('HKD')
  await page.evaluate(readingsOf, '/api/module/info delete')
  await page.reload()
  await page.getByText('What can be ordered could not be read yet.').waitFor()
  await context.setOffline(false)
  await field(page, 'code').waitFor()
  expect(await field(page, 'code').inputValue()).toBe('wizaway')
})
