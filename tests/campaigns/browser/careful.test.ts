import { expect, it } from 'vitest'
import { findViolations } from '#tests/support/browser/browser.ts'
import { openPath, takeOwnCompany, resumePage, setUpShared } from '#tests/support/browser/browser-setup.ts'
import { calculateCode } from '#tests/support/server/otp.ts'

const setup = setUpShared()

it('An unsupported picture format is refused, and Escape does not discard recovery codes', async () => {
  const { user } = takeOwnCompany()
  const page = await resumePage(setup, user, '/app/profile/user?edit=1')
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>'
  await page
    .locator('input[type="file"]')
    .setInputFiles({ name: 'me.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) })
  await page.getByText('Choose a PNG, JPEG, WebP or GIF.', { exact: false }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)

  await openPath(page, setup.fixture.portal, '/app/profile/security')
  const getButton = (name: string) => page.getByRole('button', { name, exact: true })
  await getButton('Add authenticator app').click()
  await page.locator('input[name="password"]').fill(user.password)
  await getButton('Continue').click()
  const secret = ((await page.locator('.factor-scan code').textContent()) ?? '').replaceAll(' ', '')
  await page.locator('input[name="otp"]').fill(calculateCode(secret, Date.now()))
  await getButton('Turn on').click()
  await getButton('I have saved them').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('You have not saved the codes', { exact: false }).waitFor()
  expect(await page.locator('.factor-codes code').count()).toBe(10)
  expect(await findViolations(page)).toEqual([])
  await getButton('Back to the codes').click()
  await getButton('Download').click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})
