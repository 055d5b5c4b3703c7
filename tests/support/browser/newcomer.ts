/** What somebody does who comes to the portal for the first time: fills the sign-up, opens the mail, logs in. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

export const getInput = (page: Page, name: string) => page.locator(`input[name="${name}"]`)
export const submit = (page: Page) => page.locator('form button[type="submit"]').click()

export async function fill(page: Page, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) await getInput(page, name).fill(value)
}

export async function fillCompany(page: Page, company: { code: string; name: string; number: string }) {
  await fill(page, { code: company.code, name: company.name })
  await page.locator('select[name="country"]').selectOption('HK')
  await getInput(page, 'number').fill(company.number)
}

/**
 * Opens the newest mail with these words in its subject or address, as a newcomer does, once so many have come: a newer one
 * ends the older link. `portalUrl`: its address.
 */
export async function openMail(page: Page, portalUrl: string, subject: string | RegExp, count = 1) {
  const mails = page.locator('nav a', { hasText: subject })
  await expect
    .poll(
      async () => {
        await page.goto(`${portalUrl}/dev/mail`)
        return mails.count()
      },
      { timeout: 30_000 },
    )
    .toBe(count)
  await mails.first().click()
  await page.locator('iframe').waitFor()
}

/** From the mail that is open to where its link leads. */
export async function followLink(page: Page, path: string) {
  await page.frameLocator('iframe').locator('a[href*="otk="]').first().click()
  await page.waitForURL((url) => url.pathname === path)
  await page.locator('h1').waitFor()
}

export async function logIn(page: Page, credentials: { company: string; username: string; password: string }) {
  await fill(page, credentials)
  await submit(page)
  await page.waitForURL((url) => url.pathname === '/saas/app/home')
}

/** Fills the drawer of a new user, which is open, and saves. */
export async function invite(page: Page, user: { name: string; email: string }): Promise<void> {
  const drawer = page.getByRole('dialog')
  await drawer.locator('input[name="name"]').waitFor()
  for (const [name, value] of Object.entries(user)) await drawer.locator(`input[name="${name}"]`).fill(value)
  await drawer.locator('button[type="submit"]').click()
  await drawer.waitFor({ state: 'detached' })
}

/** Somebody who was invited, from the mails: a password, the first login. */
export async function activateAndLogIn(
  page: Page,
  url: string,
  credentials: { company: string; username: string },
): Promise<void> {
  const password = 'Slow-river-under-9-bridges'
  await openMail(page, url, credentials.username)
  await followLink(page, '/saas/sys/activate')
  await fill(page, { password, confirm: password })
  await submit(page)
  await getInput(page, 'password').waitFor({ state: 'detached' })
  await page.goto(`${url}/saas/login`)
  await logIn(page, { ...credentials, password })
}
