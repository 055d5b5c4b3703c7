/** Tests the case that the browser deletes only the database of the signed-in user, in Chromium with a controlling worker (fault 45). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { openProfile, type Portal, signIn, startPortal } from '#tests/support/browser/browser.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function openUsers() {
  const portal = await startPortal()
  const folder = mkdtempSync(join(tmpdir(), 'portal-profile-'))
  const context = await openProfile(folder, { locale: 'en-GB' })
  ends.push(
    () => portal.close(),
    () => rmSync(folder, { recursive: true, force: true }),
    () => context.close(),
  )
  const page = context.pages()[0] ?? (await context.newPage())
  await signIn(page, portal, 'admin')
  await page.goto(`${portal.url}/saas/app/user`)
  await getRows(page).first().waitFor()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await waitForCachedPart(page, 'users')
  await expect.poll(() => page.locator('.freshness').innerText()).not.toContain('on this device')
  return { portal, page }
}

const getRows = (page: Page) => page.locator('table.table tbody tr a')
const getAlarm = (page: Page) => page.locator('.update.lost')

async function invite(page: Page, portal: Portal, name: string) {
  await page.goto(`${portal.url}/saas/app/user?user=new`)
  await page.locator('[name=name]').fill(name)
  await page.locator('[name=email]').fill(`${name.toLowerCase()}@acme.example`)
  await page.locator('[role=dialog] button[type=submit]').click()
  await page.locator('[role=dialog]').waitFor({ state: 'detached' })
}

const deleteUserDatabase = (page: Page) =>
  page.evaluate(async () => {
    const names = (await indexedDB.databases()).flatMap(({ name }) => (name && name !== 'portal-device' ? [name] : []))
    for (const name of names)
      await new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(name)
        request.onsuccess = resolve
        request.onerror = reject
      })
  })

it('A lost device database is reported, and the portal works offline, after a reload and online (fault 45a)', async () => {
  const { portal, page } = await openUsers()
  await portal.stop()
  await invite(page, portal, 'Ada')
  await invite(page, portal, 'Bob')
  await getRows(page).first().waitFor()
  await deleteUserDatabase(page)
  await getAlarm(page).getByText('2 unsent changes are lost from this device: users (2)').waitFor()
  await page.getByText('No users are saved on this device yet').waitFor()
  await invite(page, portal, 'Cyd')
  // After the reload the portal detects the loss, because the user is also recorded outside that database.
  await deleteUserDatabase(page)
  await page.reload()
  await getAlarm(page).getByText('1 unsent change is lost from this device: users (1)').waitFor()
  await page.getByText('No users are saved on this device yet').waitFor()
  await invite(page, portal, 'Dan')
  await portal.start()
  await page.goto(`${portal.url}/saas/app/user?searchText=dan%40`)
  await expect.poll(() => getRows(page).allInnerTexts()).toEqual(['Dan'])
  await expect.poll(() => page.locator('.pending-mark').count()).toBe(0)
  await page.goto(`${portal.url}/saas/app/outbox`)
  await page.getByRole('heading', { name: 'Nothing is waiting on this device now' }).waitFor()
  await page.getByText('Lost: users (1).').waitFor()
}, 120_000)
