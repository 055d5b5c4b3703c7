/** What a device holds, shown and cleared in real Chromium; what waits there is never cleared along (P-18). */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { filesKept, partKept } from '#tests/support/pages/parts.ts'
import { controlled, labelOf, listWhole, ownCompany, resumedPage, setUpShared } from '#tests/support/browser/visit.ts'

const setup = setUpShared()
const { the } = setup
const { admin } = ownCompany()
let page: Page

/** Patience for what has to go to the server and come back. */
const heard = { timeout: 30_000 }

const go = (path: string) => page.goto(`${the.portal.url}/saas${path}`)
const userLink = () => page.locator('.lead a').first()
const dialog = () => page.getByRole('dialog')
const lists = () => page.locator('.device-lists tbody tr')
/** All databases, storages and caches of the site, as one text. */
const everythingStored = () =>
  page.evaluate(async () => {
    const heard = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, fail) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => fail(request.error)
      })
    const plain = (_: string, value: unknown) =>
      value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? new TextDecoder().decode(value) : value
    const found: string[] = [JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })]
    for (const { name } of await indexedDB.databases()) {
      const db = await heard(indexedDB.open(name ?? ''))
      for (const store of db.objectStoreNames)
        found.push(JSON.stringify(await heard(db.transaction(store).objectStore(store).getAll()), plain))
      db.close()
    }
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys())
        found.push(request.url, (await (await caches.match(request))?.text()) ?? '')
    return found.join('\n')
  })

it('what this device keeps is told without a network and holds no secret (W-07); it is cleared, and what waits stays', async () => {
  page = await resumedPage(setup, admin, '/app/user')
  await userLink().waitFor()
  await listWhole(page)
  // Whose parts are not for them are not here either (P-09).
  await partKept(page, 'orders')
  await partKept(page, 'users')
  expect(await filesKept(page, 'staff')).toBe(0)
  await controlled(page)
  await page.context().setOffline(true)

  const changed = await userLink().innerText()
  await userLink().click()
  await labelOf(dialog().locator('input[name="alert"]')).click()
  await dialog().locator('button[type="submit"]').click()
  await dialog().waitFor({ state: 'detached' })
  await page.locator('.bar-waiting').waitFor()
  const tokens = (await page.context().cookies()).filter(({ name }) => /portal-(access|refresh)$/.test(name))
  const stored = await everythingStored()
  // It is found where it is: what is searched is what is there.
  expect(stored).toContain('admin@acme.example')
  expect(tokens).toHaveLength(2)
  for (const secret of [admin.password, ...tokens.map(({ value }) => value)])
    expect(stored.includes(secret)).toBe(false)

  await go('/app/device')
  await lists().first().waitFor()
  expect(await lists().first().innerText()).toMatch(/^Users\s+\d+\s*Complete\s+(\d{4}-\d\d-\d\d )?\d\d:\d\d\s+\d+ kB$/)
  await page.getByText(/used of .+ allowed by the browser/).waitFor()
  await page.getByText('The browser may clear this storage when').waitFor()
  const refresh = page.getByRole('button', { name: 'Refresh now' })
  await expect.poll(() => refresh.getAttribute('aria-disabled')).toBe('true')

  await page.getByRole('button', { name: 'Clear lists' }).click()
  await dialog().getByText('1 change waiting to be sent stays here').waitFor()
  await dialog().getByText("until you're back online, the lists will be empty").waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep them')
  await dialog().getByRole('button', { name: 'Clear lists' }).click()
  await page.getByText('The lists were cleared.').waitFor()
  // Its own: the navigation has one too while something waits.
  await page.getByRole('main').getByRole('link', { name: 'Waiting changes' }).click()
  await page.getByRole('heading', { name: `Change alert of ${changed}` }).waitFor()

  await page.context().setOffline(false)
  await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor(heard)
  await go('/app/device')
  await expect.poll(() => refresh.getAttribute('aria-disabled'), heard).toBeNull()
  await refresh.click()
  await page.getByText('The lists are up to date.').waitFor(heard)
  await go('/app/user')
  await expect.poll(() => page.locator('.lead a').count(), heard).toBe(10)
})
