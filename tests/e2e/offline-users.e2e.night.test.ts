import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { openDatabase } from '#server/db/open.ts'
import { bypassPolicies, silent, testConfig } from '#tests/support/server/database.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import { openProfile, type Portal, signIn, startPortal } from '#tests/support/browser/browser.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function setUp() {
  const portal = await startPortal()
  const folder = mkdtempSync(join(tmpdir(), 'portal-profile-'))
  ends.push(
    () => portal.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  )
  return { portal, folder }
}

async function open(folder: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await openProfile(folder, { locale: 'en-GB' })
  ends.push(() => context.close())
  return { context, page: context.pages()[0] ?? (await context.newPage()) }
}

const getRows = (page: Page) => page.locator('table.table tbody tr')
const readFirstCells = (page: Page) =>
  getRows(page).evaluateAll((all) => all.map((row) => row.querySelector('a')?.textContent?.trim() ?? ''))
const sortByColumn = (page: Page, name: string) => page.locator('thead button', { hasText: name }).click()

async function show(page: Page, portal: Portal, query = '') {
  await page.goto(`${portal.url}/saas/app/user${query}`)
  await getRows(page).locator('a').first().waitFor()
}

interface WriteEntry {
  operation: string
  intent: string | null
  status: number
}

/** Returns the audit entries of this device's writes from the stopped server's database. */
async function readWriteEntries(portal: Portal): Promise<WriteEntry[]> {
  await portal.stop()
  const database = await openDatabase(testConfig({ DATA_DIR: portal.dataDir }), silent)
  try {
    return await bypassPolicies(database, (db) =>
      db
        .selectFrom('audit_entry')
        .select(['operation', 'intent', 'status'])
        .where('code', '=', 'user')
        .where('intent', 'is not', null)
        .execute(),
    )
  } finally {
    await database.close()
  }
}

describe('an unreachable server', () => {
  it('the app opens, the list sorts and filters, and an offline change is saved once after reconnecting (R-41, P-12)', async () => {
    const { portal, folder } = await setUp()
    const { context, page } = await open(folder)
    await signIn(page, portal, 'admin')
    await show(page, portal)
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    // The list is completely cached when the freshness line no longer shows a count.
    await show(page, portal)
    await expect.poll(() => page.locator('.freshness').innerText()).not.toContain('on this device')
    await waitForCachedPart(page, 'users')

    await portal.stop()
    await page.reload()
    await getRows(page).locator('a').first().waitFor()
    expect(await page.locator('.freshness').innerText()).toMatch(/^Updated /)
    const ascendingNames = await readFirstCells(page)
    expect(ascendingNames).toEqual(ascendingNames.toSorted(bySmallLetters))

    await sortByColumn(page, 'Name')
    await expect.poll(() => readFirstCells(page)).not.toEqual(ascendingNames)
    const descendingNames = await readFirstCells(page)
    expect(descendingNames).toEqual(descendingNames.toSorted(bySmallLetters).toReversed())

    await show(page, portal, '?statusType=0')
    const invited = await getRows(page).count()
    expect(invited).toBeGreaterThan(0)
    expect(await getRows(page).getByText('Not activated').count()).toBe(invited)
    const [someone = ''] = await readFirstCells(page)

    await getRows(page).locator('a').first().click()
    const drawer = page.getByRole('dialog')
    const titleField = drawer.getByLabel('Title')
    const title = (await titleField.inputValue()) === '1' ? '2' : '1'
    await titleField.selectOption(title)
    await drawer.locator('button[type="submit"]').click()
    await drawer.waitFor({ state: 'hidden' })
    await expect.poll(() => getRows(page).filter({ hasText: someone }).innerText()).toContain('Waiting to be saved')

    await context.close()
    await portal.start()

    const { page: later } = await open(folder)
    await show(later, portal, '?statusType=0')
    await expect.poll(() => later.locator('.pending-mark').count(), { timeout: 30_000 }).toBe(0)
    // The title is only shown in the form.
    await getRows(later).filter({ hasText: someone }).locator('a').first().click()
    await expect.poll(() => later.getByRole('dialog').getByLabel('Title').inputValue()).toBe(title)
    await later.context().close()

    expect(await readWriteEntries(portal)).toMatchObject([{ status: 0 }])
  })
})

const bySmallLetters = (a: string, b: string) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)
