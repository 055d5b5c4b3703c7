import { expect, it } from 'vitest'
import { desktop, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture, cleanups } = setUpShared()

it('The API page lists the calls under its strict policy without a browser error (H-01)', async () => {
  const context = await fixture.browser.newContext({ ...desktop, serviceWorkers: 'block' })
  cleanups.push(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(`${fixture.portal.url}/api/docs`)
  await page.getByRole('heading', { name: 'users' }).click()
  await page.locator('.opblock-summary-path').first().click()
  await page.getByRole('button', { name: 'Try it out' }).first().waitFor()
  expect(errors).toEqual([])
})
