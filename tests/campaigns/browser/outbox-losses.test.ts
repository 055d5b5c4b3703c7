/** Tests writes whose outcome is unknown, and writes that the browser deleted (protocol 13, requirement 48). */
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findViolations, signIn } from '#tests/support/browser/browser.ts'
import { openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  waitForController,
  desktop,
  waitForCompleteList,
  takeOwnCompany,
  setUpShared,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { fixture, cleanups } = setup
const { admin } = takeOwnCompany()
let page: Page

const longTimeout = { timeout: 30_000 }

/** Cuts the network after the worker has cached all files and the list is complete. */
async function goOffline() {
  await waitForController(page)
  await waitForCachedPart(page, 'users')
  await page.context().setOffline(true)
}
const goOnline = () => page.context().setOffline(false)

const getDialog = () => page.getByRole('dialog')
let url: string
const go = (path: string) => page.goto(`${url}/saas${path}`)
const getReceipt = (text: string) => page.locator('.receipts li').filter({ hasText: text })
const save = async () => {
  await getDialog().locator('button[type="submit"]').click()
  await getDialog().waitFor({ state: 'detached', ...longTimeout })
}

/** Opens the form of the user that `search` finds, changes it and saves. */
async function edit(search: string, change: (form: Locator) => Promise<unknown>) {
  await go(`/app/user?searchText=${search}`)
  await page.locator('.lead a').first().click()
  await getDialog().locator('input[name="name"]').waitFor()
  await change(getDialog())
  await save()
}
async function create(name: string, email: string) {
  await go('/app/user?user=new')
  await getDialog().locator('input[name="name"]').fill(name)
  await getDialog().locator('input[name="email"]').fill(email)
  await save()
}
it('A write of unknown outcome is reported, not resent (protocol 13); lost writes are counted (requirement 48)', async () => {
  const proxy = await openFaultProxy(Number(new URL(fixture.portal.url).port))
  cleanups.push(() => proxy.close())
  url = proxy.url
  const context = await fixture.browser.newContext({ ...desktop, reducedMotion: 'reduce' })
  cleanups.push(() => context.close())
  page = await context.newPage()
  await signIn(page, proxy, admin, '/app/user')
  await waitForController(page)
  const isRightsChange = ({ method, path }: { method: string; path: string }) =>
    method === 'PUT' && path.includes('/company-user/')
  const isOutcomeRequest = ({ path }: { path: string }) => path.includes('/api/request/')
  proxy.set((call) => (isRightsChange(call) ? 'cut before the answer' : isOutcomeRequest(call) ? 'reset' : null))
  await go('/app/user?searchText=bonnie')
  await page.locator('.lead a').first().click()
  await getDialog().getByText('Admin', { exact: true }).click()
  await getDialog().locator('button[type="submit"]').click()
  await getDialog().locator('.problem').waitFor(longTimeout)

  await go('/app/outbox')
  const unknownWrites = page.locator('.unknowns')
  await unknownWrites.getByRole('heading', { name: 'Change the rights of a user' }).waitFor(longTimeout)
  await unknownWrites.getByText('nothing is sent twice', { exact: false }).waitFor()
  expect(['unknown', await findViolations(page)]).toEqual(['unknown', []])
  proxy.clearFaults()
  await unknownWrites.waitFor({ state: 'detached', timeout: 60_000 })
  await getReceipt('Change the rights of a user').getByText('Done', { exact: true }).waitFor()
  expect(new Set(proxy.arrivals.filter(isRightsChange).flatMap(({ keys }) => keys)).size).toBe(1)

  await go('/app/user')
  await page.locator('.lead a').first().waitFor()
  await waitForCompleteList(page)
  await goOffline()
  await edit('agnes', (form) => form.getByText('Alert', { exact: true }).click())
  await create('Carla Tse', 'carla.tse@acme.example')
  await expect.poll(() => page.locator('.bar-waiting').innerText()).toBe('2')
  await expect.poll(async () => await readCookie('portal-unsent')).toMatch(/\.2\.2$/)
  await page.goto('about:blank')
  const session = await page.context().newCDPSession(page)
  // Clears all storage of the origin except cookies, as a browser does when the disk is full.
  const origin = new URL(proxy.url).origin
  await session.send('Storage.clearDataForOrigin', {
    origin,
    storageTypes: 'indexeddb,service_workers,cache_storage',
  })
  await goOnline()

  // The cookies remain, but the device has no record of a signed-in user.
  await signIn(page, proxy, admin, '/app/home')
  await page.getByText('2 unsent changes are lost from this device').waitFor(longTimeout)
  await page.getByRole('link', { name: 'See what to do' }).click()
  await page.getByText('Please check what you last entered offline', { exact: false }).waitFor()
  expect(['loss', await findViolations(page)]).toEqual(['loss', []])
  await page.getByRole('heading', { name: 'Nothing is waiting on this device now' }).waitFor()
  await page.getByRole('button', { name: 'I have seen this' }).click()
  await page.locator('.loss').waitFor({ state: 'detached' })
  await page.reload()
  await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor()
  expect(await page.locator('.loss, .lost').count()).toBe(0)
})

const readCookie = async (cookieName: string) =>
  (await page.context().cookies(`${url}/saas/`)).find((browserCookie) => browserCookie.name === cookieName)?.value ?? ''
