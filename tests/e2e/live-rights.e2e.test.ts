/** Tests rights that change while a user works, as the user's browser shows them (decision 80). */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { getInput } from '#tests/support/browser/newcomer.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import {
  openFreshPage,
  takeOwnCompany,
  getRows,
  setUpShared,
  tablet,
  typeInto,
} from '#tests/support/browser/browser-setup.ts'
import { callApi } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { fixture } = setup

/** Returns a user and a function that changes the user's rights as an admin. */
async function company() {
  const { admin, user } = takeOwnCompany()
  const page = await openFreshPage(setup, admin, '/app/home')
  const { body: own } = await callApi<{ company_id: number }>(page, 'GET', '/api/m18s/user')
  const { body: list } = await callApi<{ data: { id: number; email: string }[] }>(
    page,
    'GET',
    `/api/m18s/company/${own.company_id}/users?results=50`,
  )
  const id = list.data.find(({ email }) => email === user.username)?.id
  const setRights = async (rights: { admin?: boolean; order?: boolean }) =>
    expect(await callApi(page, 'PUT', `/api/m18s/company-user/${id}`, rights)).toMatchObject({ status: 200 })
  return { user, setRights }
}

const menu = (page: Page, path: string) => page.locator(`.rail a[href="/saas/app/${path}"]`)

const storedUsers = (page: Page) =>
  page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name = '' }) => name)
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const db = await done(indexedDB.open(names.find((name) => /^portal-\d/.test(name)) ?? ''))
    const count = await done(db.transaction('users').objectStore('users').count())
    db.close()
    return count
  })

it('Changed rights apply to an open page (fault 30e), which drops data (fault 30g) and keeps a draft (fault 30h)', async () => {
  const { user, setRights } = await company()
  const page = await openFreshPage(setup, user, '/app/home', tablet)
  await expect.poll(() => menu(page, 'user').count()).toBe(0)
  // The page is not notified before its socket is open, so the change is repeated until it is visible.
  const isFollowed = async () => {
    await setRights({ order: false })
    await setRights({ order: true })
    return await menu(page, 'contract')
      .waitFor({ timeout: 3_000 })
      .then(
        () => true,
        () => false,
      )
  }
  await expect.poll(isFollowed, { timeout: 30_000 }).toBe(true)
  // The second change happens while the socket is closed.
  await setRights({ order: false })
  await setRights({ admin: true })
  await menu(page, 'user').waitFor()
  await menu(page, 'contract').waitFor({ state: 'detached' })

  await menu(page, 'user').click()
  await getRows(page).first().waitFor()
  await expect.poll(() => storedUsers(page)).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'New user' }).click()
  await typeInto(getInput(page, 'name'), 'Typed Before')
  await setRights({ admin: false })
  await page.waitForURL((url) => url.pathname === '/saas/app/home')
  await expect.poll(() => storedUsers(page)).toBe(0)
  await setRights({ admin: true })
  await menu(page, 'user').click()
  await getRows(page).first().waitFor()
  await page.getByRole('button', { name: 'New user' }).click()
  await expect.poll(() => getInput(page, 'name').inputValue()).toBe('Typed Before')
})

nightly('If no websocket gets through, rights are updated when the page is next used (fault 30f)', async () => {
  const { user, setRights } = await company()
  const page = await openFreshPage(setup, user, '/app/home')
  await page.routeWebSocket(/progress/, (socket) => socket.close())
  await page.goto(`${fixture.portal.url}/saas/app/home`)
  await expect.poll(() => menu(page, 'user').count()).toBe(0)
  await setRights({ admin: true })
  await expect
    .poll(
      async () => {
        await menu(page, 'home').click()
        return await menu(page, 'user').count()
      },
      { timeout: 40_000 },
    )
    .toBe(1)
})
