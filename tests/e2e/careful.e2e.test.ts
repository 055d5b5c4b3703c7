/** What must not be lost or done by one careless press: recovery codes, a user, and a picture that is none. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { people, seriousTrouble, signIn } from '#tests/support/browser.ts'
import { desk, rows, setUp } from '#tests/support/visit.ts'
import { codeAt } from '#tests/support/otp.ts'

const { the, ends } = setUp({ STEP_UP: '1' })

async function enter(who: keyof typeof people, path: string): Promise<Page> {
  const context = await the.browser.newContext({ ...desk, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, who, path)
  return page
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const given = (page: Page) => page.locator('input[name="password"]')

describe('the password once more (S-48)', () => {
  it('is asked for over what is being done, which then goes on; closed, nothing happens', async () => {
    const page = await enter('admin', '/app/user')
    await rows(page).first().waitFor()
    await button(page, 'More for Bonnie Siu').click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    const sure = button(page, 'Delete user')
    await sure.click()
    await given(page).waitFor()
    await page.getByText('Confirm it is you', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('This needs your password once more.', { exact: false }).waitFor()
    expect(await rows(page).filter({ hasText: 'Bonnie Siu' }).count()).toBe(1)
    await sure.click()
    await given(page).fill('Not-the-one-44')
    await button(page, 'Continue').click()
    await page.getByText('The password is wrong.', { exact: true }).waitFor()
    await given(page).fill(people.admin.password)
    await button(page, 'Continue').click()
    await page.locator('.toast', { hasText: 'Delete successfully.' }).waitFor()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => rows(page).filter({ hasText: 'Bonnie Siu' }).count()).toBe(0)
  })
})

describe('recovery codes', () => {
  it('are not lost by one Escape: closing asks first, until they were kept', async () => {
    const page = await enter('user', '/app/profile/security')
    await button(page, 'Add authenticator app').click()
    await given(page).fill(people.user.password)
    await button(page, 'Continue').click()
    const secret = ((await page.locator('.factor-scan code').textContent()) ?? '').replaceAll(' ', '')
    await page.locator('input[name="otp"]').fill(codeAt(secret, Date.now()))
    await button(page, 'Turn on').click()
    await button(page, 'I have kept them').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('You have not kept the codes yet', { exact: false }).waitFor()
    expect(await page.locator('.factor-codes code').count()).toBe(10)
    expect(await seriousTrouble(page)).toEqual([])
    await button(page, 'Back to the codes').click()
    await button(page, 'Download').click()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})

describe('a picture', () => {
  it('that a browser could draw, but none of the formats, is refused by their names', async () => {
    const page = await enter('globex', '/app/profile/user')
    await button(page, 'Edit profile').click()
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>'
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: 'me.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(svg) })
    await page.getByText('Choose a PNG, JPEG, WebP or GIF.', { exact: false }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})
