/** What a device holds, shown and cleared in real Chromium; what waits there is never cleared along (P-18, protocol 30). */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { people, seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { controlled, desk, listWhole, phone, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
let page: Page

async function enter(
  options: BrowserContextOptions = {},
  { language = 'en', who = 'admin' }: { language?: string; who?: keyof typeof people } = {},
) {
  const context = await the.browser.newContext({ ...desk, reducedMotion: 'reduce', ...options })
  ends.push(() => context.close())
  await context.addInitScript((chosen) => localStorage.setItem('portal.language', chosen), language)
  page = await context.newPage()
  await signIn(page, the.portal, who, '/app/user')
  await userLink().waitFor()
  await listWhole(page)
}

const go = (path: string) => page.goto(`${the.portal.url}/saas${path}`)
const userLink = () => page.locator('.lead a').first()
const dialog = () => page.getByRole('dialog')
const lists = () => page.locator('.device-lists tbody tr')
const cut = async () => {
  await controlled(page)
  await page.context().setOffline(true)
}

/** Changes a user on the list that stands, without a network. */
async function change() {
  await userLink().click()
  await dialog().locator('input[name="alert"]').click()
  await dialog().locator('button[type="submit"]').click()
  await dialog().waitFor({ state: 'detached' })
}

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

describe('what is kept on this device', () => {
  it('is told without a network: which list, how much of it, how old, how large, and who keeps it', async () => {
    await enter()
    await cut()
    await go('/app/device')
    await lists().first().waitFor()
    expect(await lists().first().innerText()).toMatch(
      /^Users\s+\d+\s*All of it\s+(\d{4}-\d\d-\d\d )?\d\d:\d\d\s+\d+ kB$/,
    )
    await page.getByText(/used of .+ that the browser allows/).waitFor()
    await page.getByText('The browser may clear this storage by itself').waitFor()
    const refresh = page.getByRole('button', { name: 'Refresh now' })
    await expect.poll(() => refresh.getAttribute('aria-disabled')).toBe('true')
    await page.context().setOffline(false)
    await expect.poll(() => refresh.getAttribute('aria-disabled'), { timeout: 30_000 }).toBeNull()
    await refresh.click()
    await page.getByText('The lists are up to date.').waitFor()
  })

  it('is cleared, and what waits to be sent stays with the entry it is about', async () => {
    await enter()
    await cut()
    const changed = await userLink().innerText()
    await change()
    await go('/app/device')
    await page.getByRole('button', { name: 'Clear lists' }).click()
    await dialog().getByText('1 change that waits to be sent stays here').waitFor()
    await dialog().getByText('until there is one, the lists will be empty').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep them')
    await dialog().getByRole('button', { name: 'Clear lists' }).click()
    await page.getByText('The lists were cleared.').waitFor()

    await page.getByRole('link', { name: 'Waiting changes' }).click()
    await page.getByRole('heading', { name: `Change alert of ${changed}` }).waitFor()
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor({ timeout: 30_000 })
    await go('/app/user')
    await expect.poll(() => page.locator('.lead a').count(), { timeout: 30_000 }).toBe(10)
  })

  it('holds no password and no token, wherever one looks (W-07)', async () => {
    await enter()
    await cut()
    await change()
    await page.locator('.bar-waiting').waitFor()
    const tokens = (await page.context().cookies()).filter(({ name }) => /portal-(access|refresh)$/.test(name))
    const stored = await everythingStored()
    // It is found where it is: what is searched is what is there.
    expect(stored).toContain('admin@acme.example')
    expect(tokens).toHaveLength(2)
    for (const secret of [people.admin.password, ...tokens.map(({ value }) => value)])
      expect(stored.includes(secret)).toBe(false)
  })

  it('tells of other people no more than how many changes of theirs lie here (protocol 30)', async () => {
    await enter()
    await cut()
    await change()
    await go('/logout')
    await page.getByRole('button', { name: 'Keep and log out' }).click()
    await page.getByRole('heading', { name: 'You are logged out' }).waitFor()
    await page.context().setOffline(false)
    await signIn(page, the.portal, 'globex')
    await go('/app/device')
    await page.getByText('1 change of another person lies here sealed').waitFor()
  })
})

describe('the page can be used by everybody (A-01, T-02)', () => {
  const looks = [
    ['en', 'dark', desk],
    ['zh', 'light', phone],
  ] as const

  it.each(looks)('in %s, %s', async (language, colorScheme, form) => {
    await enter({ ...form, colorScheme }, { language })
    await go('/app/device')
    await lists().first().waitFor()
    expect(['lists', await seriousTrouble(page)]).toEqual(['lists', []])
    expect(await sidewaysScroll(page)).toBe(0)
    await page.locator('.device-acts button').last().click()
    await dialog().waitFor()
    expect(['clear', await seriousTrouble(page)]).toEqual(['clear', []])
    await dialog().locator('.button.danger').click()
    await page.locator('.empty').waitFor()
    expect(['empty', await seriousTrouble(page)]).toEqual(['empty', []])
  })
})
