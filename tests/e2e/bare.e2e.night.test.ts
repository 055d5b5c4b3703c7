/** Tests a browser without optional features: no worker, no locks, no Background Sync, no cookieStore, no badge (P-31). */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { signIn, type PersonOrName } from '#tests/support/browser/browser.ts'
import { desktop, waitForList, takeOwnCompany, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture, cleanups } = setUpShared()

async function open(person: PersonOrName, path: string): Promise<Page> {
  const context = await fixture.browser.newContext({ ...desktop, serviceWorkers: 'block' })
  cleanups.push(() => context.close())
  await context.addInitScript(() => {
    const removedApis = { Navigator: ['locks', 'serviceWorker', 'setAppBadge', 'clearAppBadge', 'storage'] }
    for (const name of removedApis.Navigator) delete (Navigator.prototype as unknown as Record<string, unknown>)[name]
    for (const name of ['cookieStore', 'Notification', 'SyncManager', 'BroadcastChannel', 'requestIdleCallback'])
      delete (window as unknown as Record<string, unknown>)[name]
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => errors.push(error.message))
  await signIn(page, fixture.portal, person, path)
  return page
}
const errors: string[] = []

it('Without a worker, lists and writes are stored, each write is sent once, and a long request ends (P-31)', async () => {
  const page = await open(takeOwnCompany().admin, '/app/user?searchText=agnes')
  await waitForList(page)
  await page.locator('.lead a').first().click()
  const name = page.getByRole('dialog').locator('input[name="name"]')
  await name.waitFor()
  await page.context().setOffline(true)
  await name.fill('Agnes without anything')
  await page.getByRole('dialog').locator('button[type="submit"]').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('tbody').getByText('Waiting to be saved').waitFor()
  await expect.poll(() => page.locator('.bar-waiting').innerText()).toBe('1')
  await page.context().setOffline(false)
  await page.locator('.bar-waiting').waitFor({ state: 'detached', timeout: 30_000 })
  await page.reload()
  await waitForList(page)
  expect(await page.locator('tbody tr').first().innerText()).toContain('Agnes without anything')
  expect(await page.locator('tbody .pending-mark').count()).toBe(0)

  const staff = await open('staff', '/app/activity?tab=tasks')
  await staff.locator('main').getByRole('button', { name: 'Verify the audit trail', exact: true }).click()
  await staff.locator('main').getByText('as they were written').waitFor({ timeout: 30_000 })
  expect(errors).toEqual([])
}, 120_000)
