/** A change that takes an app out of a service that runs is asked about before it is made (M78, D44). */
import { expect, it } from 'vitest'
import { signIn } from '#tests/support/browser.ts'
import { expectFine } from '#tests/support/looks.ts'
import { setUp, tablet } from '#tests/support/visit.ts'

const { the, ends } = setUp()

it('names the app, does nothing on a no, and is made on a yes', async () => {
  const context = await the.browser.newContext({ ...tablet, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, 'admin', '/app/contract')
  await page.locator('main tbody tr', { hasText: 'acmetrade' }).locator('td').nth(1).click()
  await page.waitForURL((url) => /\/contract\/\d+$/.test(url.pathname))
  const before = page.url()
  await page.getByRole('button', { name: 'Modify', exact: true }).click()
  await page.locator('input[name="module-scm"]').click()
  await page
    .getByRole('dialog', { name: 'Remove Supply chain' })
    .getByRole('button', { name: 'Remove 1 module' })
    .click()

  const submit = page.locator('form button[type="submit"]')
  const asked = page.getByRole('dialog', { name: 'Apps of the service change' })
  await submit.click()
  await asked.locator('li', { hasText: 'barcode' }).getByText('leaves').waitFor()
  await expectFine(page, 'the question about apps')
  await asked.getByRole('button', { name: 'Go back' }).click()
  await asked.waitFor({ state: 'detached' })
  expect(page.url()).toContain(before)

  await submit.click()
  await asked.locator('button.primary').click()
  await page.locator('.toast', { hasText: 'It is in effect now.' }).waitFor()
  await expect.poll(() => page.url().startsWith(`${before}?`) || page.url() === before).toBe(false)
})
