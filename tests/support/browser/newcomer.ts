/** Performs the steps of a new user: the sign-up, the mail, the first login. */
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
 * Waits for `count` mails with this subject or address and opens the latest one, because a newer mail invalidates older links. `portalUrl`
 * is the portal's address.
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

export async function invite(page: Page, user: { name: string; email: string }): Promise<void> {
  const drawer = page.getByRole('dialog')
  await drawer.locator('input[name="name"]').waitFor()
  for (const [name, value] of Object.entries(user)) await drawer.locator(`input[name="${name}"]`).fill(value)
  await drawer.locator('button[type="submit"]').click()
  await drawer.waitFor({ state: 'detached' })
}

/** Activates an invited user through the mail: sets a password and logs in for the first time. */
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
