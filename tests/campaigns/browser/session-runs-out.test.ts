/** Tests a session that expires while the device is offline (decision 83). */
import { describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { fillLogin, openBrowser, people, signIn, startPortal } from '#tests/support/browser/browser.ts'
import { waitForList } from '#tests/support/browser/browser-setup.ts'

const hasUnsavedPrompt = (page: Page) =>
  page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })))

async function logIn(page: Page, personName: keyof typeof people) {
  await fillLogin(page, people[personName])
  await page.locator('form button[type=submit]').click()
  await page.waitForURL((url) => url.pathname === '/saas/app/user')
  await page.locator('main h1').waitFor()
}

/** Goes online and opens the login. The page detects the end of its session by a request of its own or when the user clicks Login. */
async function backToLogin(page: Page) {
  await page.context().setOffline(false)
  const loginReached = page.waitForURL((url) => url.pathname === '/saas/login', { timeout: 60_000 })
  const button = page.locator('.update').getByRole('button', { name: 'Login' })
  // The click may fail, because the login page may replace the page that has the button.
  void button.click({ timeout: 60_000 }).catch(() => undefined)
  await loginReached
}

/** Stays offline until the server no longer renews the session, then waits for the login. */
async function waitForExpiry(page: Page) {
  await page.context().setOffline(true)
  await page.locator('.update').getByText('Your session has expired').waitFor({ timeout: 60_000 })
  await backToLogin(page)
}

const readStorage = (page: Page) =>
  page.evaluate(async () => {
    const toPromise = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const texts: string[] = []
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await toPromise(indexedDB.open(name))
      for (const table of db.objectStoreNames)
        texts.push(JSON.stringify(await toPromise(db.transaction(table).objectStore(table).getAll())))
      db.close()
    }
    return texts.join('\n')
  })

describe('a session that expires offline', () => {
  it('locks writes and seals cached data until the same user logs in again', async () => {
    const portal = await startPortal({ ACCESS_SECONDS: '5', REFRESH_IDLE_SECONDS: '20' })
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
      const page = await context.newPage()
      await signIn(page, portal, 'admin', '/app/user')
      await page.goto(`${portal.url}/saas/app/user?user=new`)
      await waitForList(page)
      await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
      const name = page.locator('[role=dialog] input[name=name]')
      await name.fill('Typed too late')
      await page.locator('[role=dialog] input[name=email]').fill('late@acme.example')
      await context.setOffline(true)

      const bar = page.locator('.update')
      await bar.getByText('Your session has expired. You can continue').waitFor({ timeout: 60_000 })
      await name.press('Enter')
      await page.locator('.toast', { hasText: 'Encrypted on this device. Sent after you log in.' }).waitFor()
      await expect.poll(() => page.locator('.bar-waiting').textContent()).toContain('1')
      const storedBefore = await readStorage(page)
      expect([storedBefore.includes('late@acme.example'), storedBefore.includes('@acme.example')]).toEqual([
        false,
        true,
      ])

      await backToLogin(page)
      // The data is sealed while the login page is shown.
      await expect
        .poll(async () => (await readStorage(page)).includes('@acme.example'), { timeout: 20_000 })
        .toBe(false)
      await logIn(page, 'admin')
      await page.goto(`${portal.url}/saas/app/user?searchText=Typed`)
      await page.getByRole('link', { name: 'Typed too late' }).waitFor({ timeout: 30_000 })
      await expect.poll(() => page.locator('.bar-waiting').count()).toBe(0)

      await page.getByRole('link', { name: 'Typed too late' }).click()
      await name.fill('Typed by the first')
      await waitForExpiry(page)
      await logIn(page, 'globex')
      await page.locator('[role=dialog]').waitFor()
      expect([await name.count(), await page.getByText('Typed by the first').count()]).toEqual([0, 0])
      expect(await hasUnsavedPrompt(page)).toBe(false)
    } finally {
      await browser.close()
      await portal.close()
    }
  }, 240_000)
})
