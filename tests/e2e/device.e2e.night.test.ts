/** Tests how the data stored on a device is listed and cleared in Chromium. Clearing never removes waiting writes (P-18). */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { countCachedFiles, waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  waitForController,
  getLabel,
  waitForCompleteList,
  takeOwnCompany,
  resumePage,
  setUpShared,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { fixture } = setup
const { admin } = takeOwnCompany()
let page: Page

const longTimeout = { timeout: 30_000 }

const go = (path: string) => page.goto(`${fixture.portal.url}/saas${path}`)
const getUserLink = () => page.locator('.lead a').first()
const getDialog = () => page.getByRole('dialog')
const getListRows = () => page.locator('.device-lists tbody tr')
/** Returns the content of all databases, storages and caches of the site as one text. */
const readStoredTexts = () =>
  page.evaluate(async () => {
    const toPromise = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const plain = (_: string, value: unknown) =>
      value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : value
    const storedTexts: string[] = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })]
    for (const { name } of await indexedDB.databases()) {
      const db = await toPromise(indexedDB.open(name ?? ''))
      for (const store of db.objectStoreNames)
        storedTexts.push(JSON.stringify(await toPromise(db.transaction(store).objectStore(store).getAll()), plain))
      db.close()
    }
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys())
        storedTexts.push(request.url, (await (await caches.match(request))?.text()) ?? '')
    return storedTexts.join('\n')
  })

it('The device page lists stored data offline, without secrets (W-07), and clearing keeps waiting writes', async () => {
  page = await resumePage(setup, admin, '/app/user')
  await getUserLink().waitFor()
  await waitForCompleteList(page)
  // Code for other roles is not stored on this device (P-09).
  await waitForCachedPart(page, 'orders')
  await waitForCachedPart(page, 'users')
  expect(await countCachedFiles(page, 'staff')).toBe(0)
  await waitForController(page)
  await page.context().setOffline(true)

  const changed = await getUserLink().innerText()
  await getUserLink().click()
  await getLabel(getDialog().locator('input[name="alert"]')).click()
  await getDialog().locator('button[type="submit"]').click()
  await getDialog().waitFor({ state: 'detached' })
  await page.locator('.bar-waiting').waitFor()
  const tokens = (await page.context().cookies()).filter(({ name }) => /portal-(access|refresh)$/.test(name))
  const stored = await readStoredTexts()
  // The text contains an address that is certainly stored, so a secret in the storage would be found too.
  expect(stored).toContain('admin@acme.example')
  expect(tokens).toHaveLength(2)
  for (const secret of [admin.password, ...tokens.map(({ value }) => value)])
    expect(stored.includes(secret)).toBe(false)

  await go('/app/device')
  await getListRows().first().waitFor()
  expect(await getListRows().first().innerText()).toMatch(
    /^Users\s+\d+\s*Complete\s+(\d{4}-\d\d-\d\d )?\d\d:\d\d\s+\d+ kB$/,
  )
  await page.getByText(/used of .+ allowed by the browser/).waitFor()
  await page.getByText('The browser may clear this storage when').waitFor()
  const refresh = page.getByRole('button', { name: 'Refresh now' })
  await expect.poll(() => refresh.getAttribute('aria-disabled')).toBe('true')

  await page.getByRole('button', { name: 'Clear lists' }).click()
  await getDialog().getByText('1 change waiting to be sent stays here').waitFor()
  await getDialog().getByText("until you're back online, the lists will be empty").waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep them')
  await getDialog().getByRole('button', { name: 'Clear lists' }).click()
  await page.getByText('The lists were cleared.').waitFor()
  // Uses the link on the page itself, because the navigation also has one while a write waits.
  await page.getByRole('main').getByRole('link', { name: 'Waiting changes' }).click()
  await page.getByRole('heading', { name: `Change alert of ${changed}` }).waitFor()

  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor(longTimeout)
  await go('/app/device')
  await expect.poll(() => refresh.getAttribute('aria-disabled'), longTimeout).toBeNull()
  await refresh.click()
  await page.getByText('The lists are up to date.').waitFor(longTimeout)
  await go('/app/user')
  await expect.poll(() => page.locator('.lead a').count(), longTimeout).toBe(10)
})
