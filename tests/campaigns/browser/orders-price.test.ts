/** What a choice costs is in sight where it is chosen, on a tablet and on a phone; the wizard's steps are addresses (C-24). */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { ownCompany, phone, resumedPage, setUpShared, tablet, typeInto } from '#tests/support/browser/visit.ts'
import { choose, dialog, field, fill, order, ordersOf, step, submit } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { code, admin } = ownCompany()

/** What changes a price, wherever it stands. */
const controls = [
  '[name=currency]',
  '[name=user_mode]',
  '[name=users]',
  '.users-range',
  '[name=uat]',
  '[name=period]',
  '.years-common button',
  '[name^=module-]',
].join()

/** Whether somebody who is at `control` sees it and the amount due, of which nothing is covered. Runs in the page. */
function looked(control: Element): { isFree: boolean; amounts: string[] } {
  control.scrollIntoView({ block: 'nearest' })
  const isSeen = (element: Element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight || right === left) return false
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    // The label of a check box lies over it.
    const isLabel = there instanceof HTMLLabelElement && there.control === element
    return there !== null && (isLabel || element.contains(there) || there.contains(element))
  }
  const told = [...document.querySelectorAll('.price-due .amount, [role=dialog] button[type=submit]')]
  const amounts = told
    .filter(isSeen)
    .map(({ textContent }) => /[A-Z]{3} [\d,]+\.\d\d/.exec(textContent ?? '')?.[0] ?? '')
  return { isFree: isSeen(control), amounts: [...new Set(amounts.filter(Boolean))] }
}

/** At each of them the amount due is in sight, and it is one amount. */
async function expectSeen(within: Locator, least: number) {
  const found = await within.locator(controls).all()
  expect(found.length).toBeGreaterThanOrEqual(least)
  for (const control of found) {
    await control.focus()
    const { isFree, amounts } = await control.evaluate(looked)
    const name = await control.evaluate((element) => `${element.getAttribute('name') ?? element.className}`)
    expect({ name, isFree, amounts: amounts.length }).toEqual({ name, isFree: true, amounts: 1 })
  }
}

const idOf = async (page: Page, service: string) => (await ordersOf(page, service))[0]?.id

describe.each([
  { size: 'tablet', device: tablet },
  { size: 'phone', device: phone },
])('on a $size the amount due is in sight', ({ size, device }) => {
  it('at each field of a new contract and at each module', async () => {
    const page = await resumedPage(setup, admin, '/app/contract/new', device)
    await field(page, 'code').waitFor()
    await fill(page, `see${size}`, { users: '25' })
    await expectSeen(page.locator('.wizard'), 10)
    await submit(page).click()
    await field(page, 'module-fin').waitFor()
    await choose(page, 'doc')
    await expectSeen(page.locator('.wizard'), 5)
    // What is to be paid is there at once, and so is the button.
    await order(page).click()
    const pay = page.getByRole('button', { name: /^Pay HKD .* by card$/ })
    await pay.waitFor()
    expect(await page.evaluate(() => scrollY)).toBe(0)
    const { y = 0, height = 0 } = (await pay.boundingBox()) ?? {}
    expect(y + height).toBeLessThanOrEqual(device.viewport?.height ?? 0)
    await page.goBack()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await dialog(page).getByRole('button', { name: 'Discard draft' }).click()
  })

  it('at each field of a change and of an extension', async () => {
    const page = await resumedPage(setup, admin, '/app/contract', device)
    await page.goto(`${setup.the.portal.url}/saas/app/contract/${await idOf(page, `${code}trade`)}?edit=1`)
    await field(page, 'users').waitFor()
    await typeInto(field(page, 'users'), '45')
    await expectSeen(page.locator('.order-edit'), 9)
    await page.goto(`${setup.the.portal.url}/saas/app/contract/${await idOf(page, `${code}old`)}`)
    await page.getByRole('button', { name: 'Extend' }).click()
    await dialog(page).locator('[name=period]').waitFor()
    await expectSeen(dialog(page), 10)
  })
})

it('Back and Forward of the browser go through the steps and keep what was typed; a reload stays; a step that cannot be yet leads to the first that is not right (C-24)', async () => {
  const page = await resumedPage(setup, admin, '/app/contract/new')
  const asked = () => new URL(page.url()).searchParams.get('step')
  const title = () => page.evaluate(() => document.activeElement?.textContent)
  await field(page, 'code').waitFor()
  // Nothing is right yet.
  await page.goto(`${setup.the.portal.url}/saas/app/contract/new?step=3`)
  await field(page, 'code').waitFor()
  await expect.poll(asked).toBeNull()
  await fill(page, 'stepone', { users: '25' })
  await submit(page).click()
  await expect.poll(asked).toBe('2')
  await choose(page, 'doc')
  await page.reload()
  await expect.poll(() => step(page)).toContain('Modules')
  expect(await field(page, 'module-doc').isChecked()).toBe(true)
  await order(page).click()
  await expect.poll(asked).toBe('3')
  await page.getByRole('button', { name: /by card$/ }).waitFor()

  await page.goBack()
  await expect.poll(() => step(page)).toContain('Modules')
  await expect.poll(title).toBe('Modules')
  expect(await field(page, 'module-doc').isChecked()).toBe(true)
  await page.goBack()
  await expect.poll(() => step(page)).toContain('Information')
  await expect.poll(title).toBe('Information')
  expect([await field(page, 'code').inputValue(), await field(page, 'users').inputValue()]).toEqual(['stepone', '25'])
  // Typed over, and found again as it was left.
  await typeInto(field(page, 'users'), '26')
  await page.goForward()
  await expect.poll(() => step(page)).toContain('Modules')
  await page.goBack()
  await expect.poll(() => field(page, 'users').inputValue()).toBe('26')
  await page.goForward()
  await page.goForward()
  await expect.poll(() => step(page)).toContain('Payment')
  await page.reload()
  await page.getByText(/^Order stepone created/).waitFor()
  expect(asked()).toBe('3')
})
