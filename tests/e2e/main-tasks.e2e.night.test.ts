/** Does the main tasks by keys alone in Chromium. After every key the focus is on a visible element with a name (`main-tasks.ts`). */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addAuthenticator } from '#tests/support/pages/authenticator.ts'
import { people } from '#tests/support/browser/browser.ts'
import {
  createVisits,
  openFreshPage,
  resumePage,
  setUpShared,
  takeOwnCompany,
  waitForController,
} from '#tests/support/browser/browser-setup.ts'
import {
  buyContract,
  changeContract,
  extendContract,
  selectDueItems,
} from '#tests/support/browser/main-tasks-orders.ts'
import { actForCustomer, giveConsent } from '#tests/support/browser/main-tasks-staff.ts'
import {
  createTask,
  disableUsers,
  inviteUser,
  registerCompany,
  signInWithPasskey,
  solveConflict,
} from '#tests/support/browser/main-tasks.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import { callApi } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()
const { open } = createVisits(setup)
const { code, admin, user } = takeOwnCompany()

async function startTask(path = '/app/home') {
  const page = await resumePage(setup, admin, path)
  return createTask(page, setup.fixture.portal.url)
}

it('A company is registered and activated, and its admin logs in', async () => {
  const { page, close } = await open()
  await registerCompany(createTask(page, setup.fixture.portal.url), 'bykeys')
  await close()
})

it('A passkey is added after the password, and confirms the next login', async () => {
  const page = await openFreshPage(setup, user, '/app/profile/security')
  await addAuthenticator(page)
  await signInWithPasskey(createTask(page, setup.fixture.portal.url), user)
})

it('A user is invited, and its roles are changed through the link of the message', async () =>
  inviteUser(await startTask(), 'Tom Keys'))

it('A contract is ordered and paid', async () => buyContract(await startTask(), `${code}keys`))

it('Rows of the list To pay are selected and their payment is opened', async () =>
  selectDueItems(await startTask('/app/profile/company')))

it('A contract is extended and changed, and both are paid', async () => {
  await extendContract(await startTask(), `${code}trade`, 'Acme trading')
  await changeContract(await startTask(), `${code}trade`, 'Acme trading')
})

it('Two users are disabled at once, and are active again after Undo', async () => {
  const task = await startTask('/app/user?statusType=1')
  const activeUsers = await listActiveUsers(task.page)
  await disableUsers(task)
  await expect.poll(() => listActiveUsers(task.page)).toEqual(activeUsers)
})

async function listActiveUsers(page: Page) {
  const { body: own } = await callApi<{ company_id: number }>(page, 'GET', '/api/m18s/user')
  const path = `/api/m18s/company/${own.company_id}/users?statusType=1&results=50`
  return (await callApi<{ data: { id: number }[] }>(page, 'GET', path)).body.data.map(({ id }) => id).toSorted()
}

it('A name that was changed twice is decided among the waiting changes', async () => {
  const page = await resumePage(setup, admin, '/app/user')
  const context = page.context()
  const { url } = setup.fixture.portal
  await waitForController(page)
  await waitForCachedPart(page, 'users')
  setup.cleanups.push(() => context.setOffline(false))
  await solveConflict(createTask(page, url), 'Andrew', {
    cut: () => context.setOffline(true),
    reconnect: () => context.setOffline(false),
    renameElsewhere: async (id) => {
      const cookies = await context.cookies(`${url}/saas/`)
      const accessToken = cookies.find(({ name }) => name === 'portal-access')?.value ?? ''
      const headers = { authorization: `Bearer ${accessToken}`, 'idempotency-key': crypto.randomUUID() }
      const data = { name: 'Changed elsewhere' }
      const response = await page.request.put(`${url}/api/m18s/company-user/${id}`, { headers, data })
      expect(response.status()).toBe(200)
    },
  })
})

it('The staff act for a customer that allows it, and stop', async () => {
  await giveConsent(await startTask())
  const staffPage = await openFreshPage(setup, people.staff, '/app/home')
  await actForCustomer(createTask(staffPage, setup.fixture.portal.url), code, 'Acme Trading Limited')
  expect(await staffPage.locator('.acting').count()).toBe(0)
})
