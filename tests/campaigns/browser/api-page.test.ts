import { expect, it } from 'vitest'
import { desk, setUpShared } from '#tests/support/browser/visit.ts'

const { the, ends } = setUpShared()

it('the page of the API lists the calls under its strict policy, without a complaint of the browser (H-01)', async () => {
  const context = await the.browser.newContext({ ...desk, serviceWorkers: 'block' })
  ends.push(() => context.close())
  const page = await context.newPage()
  const wrong: string[] = []
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()))
  page.on('pageerror', (error) => wrong.push(error.message))
  await page.goto(`${the.portal.url}/api/docs`)
  await page.getByRole('heading', { name: 'users' }).click()
  await page.locator('.opblock-summary-path').first().click()
  await page.getByRole('button', { name: 'Try it out' }).first().waitFor()
  expect(wrong).toEqual([])
})
