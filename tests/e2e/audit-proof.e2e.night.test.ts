/**
 * Tests the audit trail offline: a month is stored, the network fails, the browser is closed and reopened. One change is found by text,
 * read, proven, exported as a file, and verified by a command that does not contact the portal (S-91, R-41).
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BrowserContext, Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { openProfile, signIn, startPortal } from '#tests/support/browser/browser.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import { waitForController, waitForList, getRows, typeInto } from '#tests/support/browser/browser-setup.ts'

const ends: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function open(folder: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await openProfile(folder, { locale: 'en-GB', viewport: { width: 1280, height: 800 } })
  ends.push(() => context.close())
  return { context, page: context.pages()[0] ?? (await context.newPage()) }
}

const getDrawer = (page: Page) => page.getByRole('dialog')

async function rename(page: Page): Promise<{ oldName: string; newName: string }> {
  await waitForList(page)
  await getRows(page).nth(3).locator('.lead a').click()
  const field = getDrawer(page).locator('[name=name]')
  const oldName = await field.inputValue()
  const newName = `${oldName} of Kowloon`
  await typeInto(field, newName)
  await getDrawer(page).locator('button[type=submit]').click()
  await getDrawer(page).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: newName }).waitFor()
  return { oldName, newName }
}

it('A stored month of the audit trail is searched, read and proven offline, and its exported proof is valid', async () => {
  const portal = await startPortal()
  const folder = mkdtempSync(join(tmpdir(), 'portal-profile-'))
  ends.push(
    () => portal.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  )
  const { url } = portal
  const first = await open(folder)
  await signIn(first.page, portal, 'admin', '/app/user')
  await waitForController(first.page)
  const { oldName, newName } = await rename(first.page)
  await first.page.goto(`${url}/saas/app/systrail`)
  await waitForList(first.page)
  await waitForCachedPart(first.page, 'trail')
  await first.page.getByRole('button', { name: 'Save on this device' }).click()
  await getDrawer(first.page).getByRole('button', { name: 'Save', exact: true }).click()
  await first.page.getByRole('button', { name: 'Saved on this device' }).waitFor()
  await first.context.close()
  await portal.stop()

  const { page } = await open(folder)
  await page.goto(`${url}/saas/app/systrail`)
  await typeInto(page.getByPlaceholder(/Search name/), 'of kowloon')
  await expect.poll(() => getRows(page).count()).toBe(1)
  await page.getByText(/are saved on this device/).waitFor()
  await getRows(page).first().locator('td').nth(1).click()
  await expect
    .poll(() => getDrawer(page).locator('.trail-changes tbody tr').allInnerTexts())
    .toEqual([expect.stringMatching(new RegExp(`^Name\\s+${oldName}\\s+${newName}$`))])
  await getDrawer(page).getByText('Proven', { exact: true }).waitFor()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    getDrawer(page).getByRole('button', { name: 'Export proof' }).click(),
  ])
  const file = join(folder, 'proof.json')
  await download.saveAs(file)
  const run = promisify(execFile)
  const verify = (...args: string[]) => run(process.execPath, ['server/cli/verify-proof.ts', file, ...args])
  const unchecked = await verify().catch((error: { code: number; stdout: string; stderr: string }) => error)
  expect(unchecked).toMatchObject({ code: 2 })
  const output = `${unchecked.stdout}${unchecked.stderr}`
  const [, key = ''] = /^Key: +(\S+)$/m.exec(output) ?? []
  const { stdout } = await verify('--key', key)
  expect(stdout).toMatch(/^PROVEN/)
  expect(stdout).toContain(`name: ${oldName} -> ${newName}`)
})
