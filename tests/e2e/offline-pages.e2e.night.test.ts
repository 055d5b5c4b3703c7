/** Tests that every page that the user may open opens offline, even if it was never visited in this tab (P-09, R-41). */
import { expect, it } from 'vitest'
import { signedInRouteNames, routes } from '#app/routes/paths.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import { waitForController, resumePage, setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

it('Every page opens offline for staff', async () => {
  const page = await resumePage(setup, 'staff', '/app/home')
  await waitForController(page)
  await waitForCachedPart(page, 'orders')
  await waitForCachedPart(page, 'staff')
  await waitForCachedPart(page, 'users')
  // The price list is cached after the first page. Without the current one, the wizard redirects to the contract list (M68).
  await page.waitForFunction(async () => {
    const databaseNames = (await indexedDB.databases()).map(({ name }) => name ?? '')
    const paths = await Promise.all(
      databaseNames.map(
        (name) =>
          new Promise<string[]>((resolve) => {
            const openRequest = indexedDB.open(name)
            openRequest.onsuccess = () => {
              const db = openRequest.result
              if (!db.objectStoreNames.contains('responses')) return resolve((db.close(), []))
              const keys = db.transaction('responses').objectStore('responses').getAllKeys()
              keys.onsuccess = () => resolve((db.close(), keys.result.map(String)))
            }
          }),
      ),
    )
    return paths.flat().includes('/api/price?type=saas')
  })
  await page.context().setOffline(true)
  const broken: string[] = []
  for (const pageName of signedInRouteNames) {
    const path = routes[pageName].path.replace(/:\w+/, '1')
    await page.goto(`${setup.fixture.portal.url}/saas${path}`)
    await page.locator('main h1, main h2').first().waitFor()
    await page.waitForURL((url) => url.pathname === `/saas${path}`)
    if ((await page.getByText(/Something went wrong here|This page needs a connection/).count()) > 0)
      broken.push(pageName)
  }
  expect(broken).toEqual([])
})
