/** A browser without what only some have: no worker, no locks, no Background Sync, no cookieStore, no badge (P-31). */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { signIn, type Who } from '#tests/support/browser/browser.ts'
import { desk, listed, ownCompany, setUpShared } from '#tests/support/browser/visit.ts'

const { the, ends } = setUpShared()

async function open(who: Who, path: string): Promise<Page> {
  const context = await the.browser.newContext({ ...desk, serviceWorkers: 'block' })
  ends.push(() => context.close())
  await context.addInitScript(() => {
    const without = { Navigator: ['locks', 'serviceWorker', 'setAppBadge', 'clearAppBadge', 'storage'] }
    for (const name of without.Navigator) delete (Navigator.prototype as unknown as Record<string, unknown>)[name]
    for (const name of ['cookieStore', 'Notification', 'SyncManager', 'BroadcastChannel', 'requestIdleCallback'])
      delete (window as unknown as Record<string, unknown>)[name]
  })
  const page = await context.newPage()
  page.on('pageerror', (error) => wrong.push(error.message))
  await signIn(page, the.portal, who, path)
  return page
}
/** Errors of scripts. */
const wrong: string[] = []

it('keeps lists and writes, sends them once when the line is back, and follows a long request to its end (P-31)', async () => {
  const page = await open(ownCompany().admin, '/app/user?searchText=agnes')
  await listed(page)
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
  await listed(page)
  expect(await page.locator('tbody tr').first().innerText()).toContain('Agnes without anything')
  expect(await page.locator('tbody .pending-mark').count()).toBe(0)

  const staff = await open('staff', '/app/activity')
  await staff.locator('main').getByRole('button', { name: 'Verify the audit trail' }).click()
  await staff.locator('main').getByText('as they were written').waitFor({ timeout: 30_000 })
  expect(wrong).toEqual([])
}, 120_000)
