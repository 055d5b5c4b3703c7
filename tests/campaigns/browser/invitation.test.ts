import { expect, it } from 'vitest'
import { activateAndLogIn, invite } from '#tests/support/browser/newcomer.ts'
import {
  waitForController,
  openFreshPage,
  takeOwnCompany,
  getRows,
  setUpShared,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { fixture } = setup

it('A form survives a lost token, and an offline invitation is sent later and can be accepted (M21, P-13, M40)', async () => {
  const { code: company, admin } = takeOwnCompany()
  const page = await openFreshPage(setup, admin, '/app/user')
  await waitForController(page)
  await getRows(page).first().waitFor()
  const add = page.locator('.page-action .button.primary')
  await add.click()
  await page.getByRole('dialog').locator('input[name="name"]').fill('In Time')
  // Simulates an expired cookie, which the browser deletes.
  await page.context().clearCookies({ name: 'portal-access' })
  await invite(page, { name: 'In Time', email: 'in.time@trip.example' })

  const email = 'later@trip.example'
  await page.context().setOffline(true)
  await add.click()
  await invite(page, { name: 'Later', email })
  await page.locator('.bar-waiting').waitFor()
  const context = await fixture.browser.newContext({ serviceWorkers: 'block' })
  setup.cleanups.push(() => context.close())
  const mails = await context.newPage()
  await mails.goto(`${fixture.portal.url}/dev/mail`)
  expect(await mails.locator('nav a', { hasText: email }).count()).toBe(0)
  await page.context().setOffline(false)
  await page.locator('.bar-waiting').waitFor({ state: 'detached', timeout: 30_000 })
  await activateAndLogIn(mails, fixture.portal.url, { company, username: email })
  await page.locator('.filters input').first().fill('in.time')
  await getRows(page).filter({ hasText: 'In Time' }).waitFor()
})
