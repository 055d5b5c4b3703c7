/** Tests parts of the second factor that need a real browser: an authenticator of the device, and downloaded files. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addAuthenticator } from '#tests/support/pages/authenticator.ts'
import { fillLogin, type Person } from '#tests/support/browser/browser.ts'
import { takeOwnCompany, setUpShared, createVisits } from '#tests/support/browser/browser-setup.ts'

const { inside, go } = createVisits(setUpShared())
const getButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function confirmByPassword(page: Page, { password }: Person) {
  const field = page.locator('[role=dialog] input[name="password"]')
  await field.waitFor()
  await expect.poll(() => field.evaluate((input) => input === document.activeElement)).toBe(true)
  await field.fill(password)
  await getButton(page, 'Continue').click()
}

it('A user creates a passkey on this device and confirms the next login with it, after the password', async () => {
  const { user } = takeOwnCompany()
  const { page, close } = await inside(user, '/app/profile/security')
  await addAuthenticator(page)
  await getButton(page, 'Add passkey').click()
  await confirmByPassword(page, user)
  await page.getByLabel('Name').fill('Office laptop')
  await getButton(page, 'Create passkey').click()
  const download = page.waitForEvent('download')
  await getButton(page, 'Download').click()
  expect((await download).suggestedFilename()).toBe('recovery-codes.txt')
  await getButton(page, 'I have saved them').click()
  await page.locator('.factor-list', { hasText: 'Office laptop' }).waitFor()

  await go(page, '/logout')
  await page.getByText('You are logged out', { exact: true }).waitFor()
  await go(page, '/login')
  await fillLogin(page, user)
  await page.locator('form button[type="submit"]').click()
  await page.getByText('Your device will ask', { exact: false }).waitFor()
  await getButton(page, 'Use passkey').click()
  await page.waitForURL((url) => url.pathname.startsWith('/saas/app'))
  await go(page, '/app/profile/security')
  await page.getByText('last used', { exact: false }).waitFor()

  // The device refuses a second passkey. The user is confirmed by the existing factor.
  await getButton(page, 'Add passkey').click()
  await getButton(page, 'Use passkey').click()
  await getButton(page, 'Create passkey').click()
  await page.getByText('This device already has a passkey for your account.').waitFor()
  await close()
})
