/** Tests that the price is visible where it is changed, on a tablet and on a phone, and that each wizard step has an address (C-24). */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import {
  takeOwnCompany,
  phone,
  resumePage,
  setUpShared,
  tablet,
  typeInto,
} from '#tests/support/browser/browser-setup.ts'
import {
  choose,
  getDialog,
  getField,
  fill,
  getOrderButton,
  listOrders,
  readStep,
  getSubmitButton,
} from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { code, admin } = takeOwnCompany()

/** Controls that change a price, on any page. */
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

/** Returns whether `control` is uncovered, and the fully visible amounts due. Runs in the page. */
function inspectControl(control: Element): { isUncovered: boolean; amounts: string[] } {
  control.scrollIntoView({ block: 'nearest' })
  const isVisible = (element: Element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect()
    if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight || right === left) return false
    const topElement = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
    // A check box is covered by its label.
    const isLabel = topElement instanceof HTMLLabelElement && topElement.control === element
    return topElement !== null && (isLabel || element.contains(topElement) || topElement.contains(element))
  }
  const priceElements = [...document.querySelectorAll('.price-due .amount, [role=dialog] button[type=submit]')]
  const amounts = priceElements
    .filter(isVisible)
    .map(({ textContent }) => /[A-Z]{3} [\d,]+\.\d\d/.exec(textContent ?? '')?.[0] ?? '')
  return { isUncovered: isVisible(control), amounts: [...new Set(amounts.filter(Boolean))] }
}

/** Expects exactly one visible amount due at each control. */
async function expectPriceVisible(container: Locator, minCount: number) {
  const foundControls = await container.locator(controls).all()
  expect(foundControls.length).toBeGreaterThanOrEqual(minCount)
  for (const control of foundControls) {
    await control.focus()
    const { isUncovered, amounts } = await control.evaluate(inspectControl)
    const name = await control.evaluate((element) => `${element.getAttribute('name') ?? element.className}`)
    expect({ name, isUncovered, amounts: amounts.length }).toEqual({ name, isUncovered: true, amounts: 1 })
  }
}

const findOrderId = async (page: Page, service: string) => (await listOrders(page, service))[0]?.id

describe.each([
  { size: 'tablet', device: tablet },
  { size: 'phone', device: phone },
])('the amount due on a $size', ({ size, device }) => {
  it('is visible at each field of a new contract and at each module', async () => {
    const page = await resumePage(setup, admin, '/app/contract/new', device)
    await getField(page, 'code').waitFor()
    await fill(page, `see${size}`, { users: '25' })
    await expectPriceVisible(page.locator('.wizard'), 10)
    await getSubmitButton(page).click()
    await getField(page, 'module-fin').waitFor()
    await choose(page, 'doc')
    await expectPriceVisible(page.locator('.wizard'), 5)
    // The amount to pay and its button are visible without scrolling.
    await getOrderButton(page).click()
    const pay = page.getByRole('button', { name: /^Pay HKD .* by card$/ })
    await pay.waitFor()
    expect(await page.evaluate(() => scrollY)).toBe(0)
    const { y = 0, height = 0 } = (await pay.boundingBox()) ?? {}
    expect(y + height).toBeLessThanOrEqual(device.viewport?.height ?? 0)
    await page.goBack()
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await getDialog(page).getByRole('button', { name: 'Discard draft' }).click()
  })

  it('is visible at each field of a change and of an extension', async () => {
    const page = await resumePage(setup, admin, '/app/contract', device)
    await page.goto(`${setup.fixture.portal.url}/saas/app/contract/${await findOrderId(page, `${code}trade`)}?edit=1`)
    await getField(page, 'users').waitFor()
    await typeInto(getField(page, 'users'), '45')
    await expectPriceVisible(page.locator('.order-edit'), 9)
    await page.goto(`${setup.fixture.portal.url}/saas/app/contract/${await findOrderId(page, `${code}old`)}`)
    await page.getByRole('button', { name: 'Extend' }).click()
    await getDialog(page).locator('[name=period]').waitFor()
    await expectPriceVisible(getDialog(page), 10)
  })
})

it("Back, Forward and reload keep the wizard's values; an early step opens the first invalid one (C-24)", async () => {
  const page = await resumePage(setup, admin, '/app/contract/new')
  const readStepParameter = () => new URL(page.url()).searchParams.get('step')
  const readFocusedTitle = () => page.evaluate(() => document.activeElement?.textContent)
  await getField(page, 'code').waitFor()
  // No step is valid yet.
  await page.goto(`${setup.fixture.portal.url}/saas/app/contract/new?step=3`)
  await getField(page, 'code').waitFor()
  await expect.poll(readStepParameter).toBeNull()
  await fill(page, 'stepone', { users: '25' })
  await getSubmitButton(page).click()
  await expect.poll(readStepParameter).toBe('2')
  await choose(page, 'doc')
  await page.reload()
  await expect.poll(() => readStep(page)).toContain('Modules')
  expect(await getField(page, 'module-doc').isChecked()).toBe(true)
  await getOrderButton(page).click()
  await expect.poll(readStepParameter).toBe('3')
  await page.getByRole('button', { name: /by card$/ }).waitFor()

  await page.goBack()
  await expect.poll(() => readStep(page)).toContain('Modules')
  await expect.poll(readFocusedTitle).toBe('Modules')
  expect(await getField(page, 'module-doc').isChecked()).toBe(true)
  await page.goBack()
  await expect.poll(() => readStep(page)).toContain('Information')
  await expect.poll(readFocusedTitle).toBe('Information')
  expect([await getField(page, 'code').inputValue(), await getField(page, 'users').inputValue()]).toEqual([
    'stepone',
    '25',
  ])
  await typeInto(getField(page, 'users'), '26')
  await page.goForward()
  await expect.poll(() => readStep(page)).toContain('Modules')
  await page.goBack()
  await expect.poll(() => getField(page, 'users').inputValue()).toBe('26')
  await page.goForward()
  await page.goForward()
  await expect.poll(() => readStep(page)).toContain('Payment')
  await page.reload()
  await page.getByText(/^Order stepone created/).waitFor()
  expect(readStepParameter()).toBe('3')
})
