import { expect, it } from 'vitest'
import { takeOwnCompany, phone, setUpShared, tablet, createVisits } from '#tests/support/browser/browser-setup.ts'

const { resume } = createVisits(setUpShared())

it('A disabled button shows its reason when pressed, but not directly after saving (T-04)', async () => {
  const { page, close } = await resume(takeOwnCompany().admin, '/app/profile/company', tablet)
  const save = page.locator('main button[type="submit"]')
  const reason = page.locator('.hint', { hasText: 'Nothing has been changed yet.' })
  await page.getByLabel(/^Website/).fill('https://acme.example/new')
  // The pointer stays over the button, as after a tap.
  await save.click()
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
  await expect.poll(() => reason.count()).toBe(1)
  expect(await save.evaluate((button) => button.matches(':hover'))).toBe(true)
  expect(await reason.isVisible()).toBe(false)
  await page.locator('h1').tap()
  // The button is clicked without hovering, because not every browser emulates a mouse for touch.
  await save.dispatchEvent('click')
  await expect.poll(() => reason.isVisible()).toBe(true)
  await page.locator('h1').tap()
  await expect.poll(() => reason.isVisible()).toBe(false)
  await save.tap({ force: true })
  await expect.poll(() => reason.isVisible()).toBe(true)
  await close()
})

it("The reason for a disabled button in a drawer's footer is fully visible on a phone", async () => {
  const { page, close } = await resume(takeOwnCompany().admin, '/app/user', phone)
  await page.locator('main tbody a').first().tap()
  const disabledButton = page.locator('[role="dialog"] .p-dialog-footer [aria-disabled="true"]')
  await disabledButton.focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  const reason = disabledButton.locator('xpath=following-sibling::*[contains(@class, "hint")]')
  await expect.poll(() => reason.isVisible()).toBe(true)
  const { x, y, width, height } = (await reason.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 }
  expect([x >= 0, y >= 0, x + width <= 390, y + height <= 844]).not.toContain(false)
  await close()
})
