/** What only a drawn form shows: the slider under a hand, and fields that stay where they are. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { signIn } from '#tests/support/browser/browser.ts'
import { expectFine } from '#tests/support/browser/looks.ts'
import { ownCompany, resumedPage, setUpShared, tablet } from '#tests/support/browser/visit.ts'
import { choose, field, fill, order, ordersOf, submit } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { the } = setup

const amount = (page: Page) => page.locator('.price-due .amount').innerText()

it('the number and the price follow the slider, and what stands there at rest is what is kept', async () => {
  const page = await resumedPage(setup, ownCompany().admin, '/app/contract/new')
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

it('the form is not pushed away, by the note of unpaid orders above it or by a draft that begins; and both prices are shown where the server has another one (D17)', async () => {
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
  await page.locator('.wizard-note', { hasText: 'unpaid order' }).waitFor()
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
  await page.getByText('The price differs from the one you saw. Nothing has been ordered.').waitFor()
  expect(await page.locator('.compared dd').allInnerTexts()).toEqual(['HKD 42,500.00', 'HKD 43,000.00'])
  await expectFine(page, 'the two prices')
  expect(await ordersOf(page, 'wizprice')).toEqual([])
})
