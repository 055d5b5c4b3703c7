import { expect, it } from 'vitest'
import { ownCompany, setUpShared, tablet, visits } from '#tests/support/visit.ts'

const { resume } = visits(setUpShared())

it('why a button cannot be pressed is told to who presses it, and not to who has just saved by it (T-04)', async () => {
  const { page, close } = await resume(ownCompany().admin, '/app/profile/company', tablet)
  const save = page.locator('main button[type="submit"]')
  const reason = page.locator('.hint', { hasText: 'Nothing has been changed yet.' })
  await page.getByLabel(/^Website/).fill('https://acme.example/new')
  // The pointer stays on it, as after a tap.
  await save.click()
  await expect.poll(() => save.getAttribute('aria-disabled')).toBe('true')
  await expect.poll(() => reason.count()).toBe(1)
  expect(await save.evaluate((pressed) => pressed.matches(':hover'))).toBe(true)
  expect(await reason.isVisible()).toBe(false)
  await page.locator('h1').tap()
  // Pressed without being hovered: not every browser takes a finger for a mouse.
  await save.dispatchEvent('click')
  await expect.poll(() => reason.isVisible()).toBe(true)
  await page.locator('h1').tap()
  await expect.poll(() => reason.isVisible()).toBe(false)
  await save.tap({ force: true })
  await expect.poll(() => reason.isVisible()).toBe(true)
  await close()
})
