/** Does the main tasks by keys alone in Chromium. After every key the focus is on a visible element with a name (`main-tasks.ts`). */
import { expect, it } from 'vitest'
import { people } from '#tests/support/browser/browser.ts'
import {
  createVisits,
  openFreshPage,
  resumePage,
  setUpShared,
  takeOwnCompany,
} from '#tests/support/browser/browser-setup.ts'
import {
  actForCustomer,
  buyContract,
  changeContract,
  createTask,
  disableUsers,
  giveConsent,
  inviteUser,
  payDueItems,
  registerCompany,
  signInWithPasskey,
} from '#tests/support/browser/main-tasks.ts'

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
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await signInWithPasskey(createTask(page, setup.fixture.portal.url), user)
})

it('A user is invited, and its roles are changed through the link of the message', async () =>
  inviteUser(await startTask(), 'Tom Keys'))

it('A contract is ordered and paid', async () => buyContract(await startTask(), `${code}keys`))

it('Everything that is due is selected and paid from another page', async () =>
  payDueItems(await startTask('/app/profile/company')))

it('A contract is extended and changed, and closed questions return the focus', async () =>
  changeContract(await startTask(), `${code}trade`, 'Acme trading'))

it('Two users are disabled at once, and it is undone from the message', async () =>
  disableUsers(await startTask('/app/user?statusType=1')))

it('The staff act for a customer that allows it, and stop', async () => {
  const adminPage = await resumePage(setup, 'globex', '/app/home')
  await giveConsent(createTask(adminPage, setup.fixture.portal.url))
  const company = await adminPage.locator('header').innerText()
  const staffPage = await openFreshPage(setup, people.staff, '/app/home')
  await actForCustomer(createTask(staffPage, setup.fixture.portal.url), company.split('\n')[0] ?? '')
  expect(await staffPage.locator('.acting').count()).toBe(0)
})
