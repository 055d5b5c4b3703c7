/** A session that runs out while the device is offline: nobody has left, and nobody can be asked (W-06). */
import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { fillLogin, openBrowser, people, signIn, startPortal } from '#tests/support/browser.ts'
import { listed } from '#tests/support/visit.ts'

/** A browser asks before such a page is left. */
const wouldAsk = (page: Page) =>
  page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })))

async function logIn(page: Page, who: keyof typeof people) {
  await fillLogin(page, people[who])
  await page.locator('form button[type=submit]').click()
  await page.waitForURL((url) => url.pathname === '/saas/app/user')
  await page.locator('main h1').waitFor()
}

/** Whoever asks first hears that the session is over: the page by itself, or somebody who asks to sign in again. */
async function backToLogin(page: Page) {
  await page.context().setOffline(false)
  const there = page.waitForURL((url) => url.pathname === '/saas/login', { timeout: 60_000 })
  const button = page.locator('.update').getByRole('button', { name: 'Login' })
  // Gone with the page that the login takes the place of.
  void button.click({ timeout: 60_000 }).catch(() => undefined)
  await there
}

/** Offline for as long as the server would have renewed it, until the login stands there. */
async function runOut(page: Page) {
  await page.context().setOffline(true)
  await page.locator('.update').getByText('Your session has expired').waitFor({ timeout: 60_000 })
  await backToLogin(page)
}

describe('a session that runs out offline', () => {
  it('is said, can be read and takes no writes, and gives what was typed back behind the login, to its user alone', async () => {
    const portal = await startPortal({ ACCESS_SECONDS: '5', REFRESH_IDLE_SECONDS: '20' })
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
      const page = await context.newPage()
      await signIn(page, portal, 'admin', '/app/user')
      await page.goto(`${portal.url}/saas/app/user?user=new`)
      await listed(page)
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
      const name = page.locator('[role=dialog] input[name=name]')
      await name.fill('Typed in time')
      await page.locator('[role=dialog] input[name=email]').fill('late@acme.example')
      await context.setOffline(true)

      const bar = page.locator('.update')
      await bar.getByText('Your session has expired').waitFor({ timeout: 60_000 })
      await page.locator('[role=dialog]').getByText('expired while you were offline').waitFor()
      await name.press('Enter')
      expect(await name.inputValue()).toBe('Typed in time')
      // Behind it nothing begins that could not be ended either.
      const begins = page.locator('main').getByRole('button', { name: 'New user' })
      expect(await begins.getAttribute('aria-disabled')).toBe('true')
      const why = (button: Element) =>
        document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent
      expect(await begins.evaluate(why)).toBe('Log in again first.')
      expect(await page.locator('tbody tr').count()).toBeGreaterThan(1)
      expect(await page.locator('.bar-waiting').count()).toBe(0)

      await backToLogin(page)
      // The address moves before the form has gone from under it.
      await expect.poll(() => wouldAsk(page)).toBe(true)
      await logIn(page, 'admin')
      await name.waitFor()
      expect(await name.inputValue()).toBe('Typed in time')
      await page.locator('[role=dialog] button[type=submit]').click()
      await page.locator('[role=dialog]').waitFor({ state: 'detached' })
      await expect.poll(() => wouldAsk(page)).toBe(false)
      // It is a short one: that it ends within a minute is said all the time.
      await expect.poll(() => bar.getByText('has expired').count(), { timeout: 15_000 }).toBe(0)

      // Once more, on a row, and somebody else is who signs in.
      await page.goto(`${portal.url}/saas/app/user?searchText=Typed`)
      await page.getByRole('link', { name: 'Typed in time' }).click()
      await name.fill('Typed by the first')
      await runOut(page)
      await logIn(page, 'globex')
      await page.locator('[role=dialog]').waitFor()
      expect([await name.count(), await page.getByText('Typed by the first').count()]).toEqual([0, 0])
      expect(await wouldAsk(page)).toBe(false)
    } finally {
      await browser.close()
      await portal.close()
    }
  }, 240_000)
})
