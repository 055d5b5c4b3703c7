/** Finds what a person sees on the portal's English pages, and waits for conditions. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Browser, Locator, Page } from 'playwright-core'

export interface Credentials {
  company: string
  username: string
  password: string
}

/** What a journey needs from the installation that it runs on. */
export interface JourneySite {
  /** Address of the portal, without a slash at the end. */
  url: string
  browser: Browser
  /** Returns the link of the newest mail to this address whose link has this path. Waits for the mail. */
  readMailLink(recipient: string, path: string): Promise<string>
  report(line: string): void
}

/** Waits until `read` returns a value other than null and false. Throws an error that names what was missing. */
export async function waitFor<T>(
  description: string,
  read: () => Promise<T | null | false> | T | null | false,
  timeoutMs = 60_000,
): Promise<T> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await wait(250)) {
    const value = await read()
    if (value !== null && value !== false) return value
  }
  throw new Error(`waited ${timeoutMs / 1000} s in vain: ${description}`)
}

/** Opens a page on a device that has stored nothing. */
export async function openDevice(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await context.addInitScript(() => localStorage.setItem('portal.language', 'en'))
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  return page
}

export const getButton = (scope: Page | Locator, name: string | RegExp): Locator =>
  scope.getByRole('button', { name, exact: true })

export const getDialog = (page: Page, name: string | RegExp): Locator => page.getByRole('dialog', { name, exact: true })

export const waitForToast = (page: Page, text: string): Promise<void> =>
  page.locator('.toast', { hasText: text }).waitFor({ timeout: 120_000 })

export async function fillFields(scope: Page | Locator, values: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(values)) await scope.locator(`input[name="${name}"]`).fill(value)
}

export const submit = (page: Page): Promise<void> => page.locator('form button[type="submit"]').click()

export async function sendPassword(page: Page, url: string, credentials: Credentials): Promise<void> {
  await page.goto(`${url}/saas/login`)
  await fillFields(page, { ...credentials })
  await submit(page)
}

export const waitForHome = (page: Page): Promise<void> => page.waitForURL((url) => url.pathname === '/saas/app/home')

/** Opens a page of a signed-in user and waits for its title. */
export async function openPage(page: Page, url: string, path: string): Promise<void> {
  await page.goto(`${url}/saas${path}`)
  await page.locator('.shell main h1').waitFor()
}

/** Types the value and the code that a dangerous action asks for. */
export async function typeConfirmation(dialog: Locator, value: string): Promise<void> {
  await dialog.locator('.confirm-code code').first().waitFor()
  const code = (await dialog.locator('.confirm-code code').allInnerTexts()).join('')
  await dialog.locator('[name=typed-value]').pressSequentially(value)
  await dialog.locator('[name=typed-code]').pressSequentially(code)
}
