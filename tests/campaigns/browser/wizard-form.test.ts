/** Tests parts of the wizard that need real rendering: a dragged slider, and fields that must not shift. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { signIn } from '#tests/support/browser/browser.ts'
import { expectNoFaults } from '#tests/support/browser/looks.ts'
import { takeOwnCompany, resumePage, setUpShared, tablet } from '#tests/support/browser/browser-setup.ts'
import { choose, getField, fill, getOrderButton, listOrders, getSubmitButton } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { fixture } = setup

const readAmount = (page: Page) => page.locator('.price-due .amount').innerText()

it("The number of users and the price follow the slider, and the slider's final value is saved", async () => {
  const page = await resumePage(setup, takeOwnCompany().admin, '/app/contract/new')
  await getField(page, 'code').waitFor()
  await fill(page, 'wizhand', { users: '10' })
  const slider = page.locator('.users-range')
  const readValues = () => Promise.all([slider.inputValue(), getField(page, 'users').inputValue(), readAmount(page)])
  await slider.scrollIntoViewIfNeeded()
  const moveTo = async (share: number) => {
    const box = await slider.boundingBox()
    if (!box) throw new Error('there is no slider')
    await page.mouse.move(box.x + box.width * share, box.y + box.height / 2)
  }
  await moveTo(0.1)
  await page.mouse.down()
  const seenPrices: { users: string; price: string }[] = []
  for (const share of [0.3, 0.5, 0.7]) {
    const amountBefore = await readAmount(page)
    await moveTo(share)
    // The price is rendered a moment after the number.
    await expect.poll(() => readAmount(page)).not.toBe(amountBefore)
    const [draggedValue, draggedUsers] = await readValues()
    expect(draggedUsers).toBe(draggedValue)
    seenPrices.push({ users: draggedUsers, price: await readAmount(page) })
  }
  await page.mouse.up()
  const [sliderValue, number, price] = await readValues()
  expect({ users: number, price }).toEqual(seenPrices.at(-1))
  // Each price that was displayed during the drag equals the price of the same number when typed.
  for (const { users, price } of seenPrices) {
    await getField(page, 'users').fill(users)
    expect(await slider.inputValue()).toBe(users)
    await expect.poll(() => readAmount(page)).toBe(price)
  }

  await page.locator('.price-why summary').click()
  await slider.press('ArrowLeft')
  expect(await getField(page, 'users').inputValue()).toBe(String(Number(sliderValue) - 1))
  await expect.poll(() => readAmount(page)).not.toBe(price)
  const dueLine = page.locator('.why-due > .why-line').first()
  expect(await dueLine.innerText()).toContain(await readAmount(page))
  // The breakdown of the price follows the slider too: lines for user ranges appear and disappear, and their users add up to the number.
  const lines = page.locator('.why-users')
  await moveTo(0.9)
  await page.mouse.down()
  const lineCount = await lines.count()
  for (const share of [0.6, 0.02]) {
    await moveTo(share)
    const number = await getField(page, 'users').inputValue()
    const countUsers = async () => {
      const counts = (await lines.allInnerTexts()).map((line) => Number(/: (\d+) ×/.exec(line)?.[1]))
      return counts.reduce((sum, count) => sum + count, 0)
    }
    await expect.poll(countUsers).toBe(Number(number))
    expect(await dueLine.innerText()).toContain(await readAmount(page))
  }
  expect(await lines.count()).toBeLessThan(lineCount)
  await page.mouse.up()
  expect(await dueLine.innerText()).toContain(await readAmount(page))
  await page.locator('.price-why summary').click()
  // The value is saved even while the slider is still held.
  await moveTo(0.7)
  await page.mouse.down()
  await moveTo(0.4)
  const [usersBefore] = await readValues()
  await page.reload()
  await getField(page, 'code').waitFor()
  expect(await getField(page, 'users').inputValue()).toBe(usersBefore)
  expect(await slider.inputValue()).toBe(usersBefore)
})

it("The form does not shift for a note or a draft, and shows both prices if the server's differs (D17)", async () => {
  const context = await fixture.browser.newContext({ ...tablet, serviceWorkers: 'block' })
  setup.cleanups.push(() => context.close())
  const page = await context.newPage()
  let unpaidRequestCount = 0
  await page.route('**/api/**status=0**', async (route) => {
    unpaidRequestCount++
    await wait(300)
    await route.continue()
  })
  // Simulates an outdated price list: the server's price of the core module is higher.
  await page.route('**/api/price?**', async (route) => {
    const response = await route.fetch()
    const list = (await response.json()) as { module: { code: string; hkd: string }[] }
    const cheaperModules = list.module.map((row) => (row.code === 'core' ? { ...row, hkd: '11500.00' } : row))
    await route.fulfill({ response, json: { ...list, module: cheaperModules } })
  })
  setup.cleanups.push(() => page.unrouteAll({ behavior: 'ignoreErrors' }))
  // The form's waiting time of one second is extended, so a busy machine does not affect the test.
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
  await signIn(page, fixture.portal, 'admin', '/app/contract/new')
  await getField(page, 'code').waitFor()
  await page.locator('.wizard-note', { hasText: 'not paid' }).waitFor()
  expect(unpaidRequestCount).not.toBe(0)
  expect(await page.evaluate('tops.length')).toBe(1)

  await page.setViewportSize({ width: 390, height: 844 })
  await page.waitForFunction(() => document.documentElement.clientWidth === 390)
  const readTop = () => getField(page, 'code').evaluate((input) => input.getBoundingClientRect().top + scrollY)
  const topBefore = await readTop()
  await getField(page, 'name').pressSequentially('Ours')
  await page.locator('.draft-note button').waitFor()
  expect(await readTop()).toBe(topBefore)

  await page.setViewportSize({ width: 1024, height: 768 })
  await fill(page, 'wizprice', { users: '11' })
  await getSubmitButton(page).click()
  await choose(page, 'fin')
  await getOrderButton(page).click()
  await page.getByText('The price differs from the one you saw. Nothing has been ordered.').waitFor()
  expect(await page.locator('.compared dd').allInnerTexts()).toEqual(['HKD 42,500.00', 'HKD 43,000.00'])
  await expectNoFaults(page, 'the two prices')
  expect(await listOrders(page, 'wizprice')).toEqual([])
})
