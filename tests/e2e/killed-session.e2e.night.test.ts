/** Tests that a session survives a kill of the browser before the cookies of the renewed session are saved (protocol 28, decision 69). */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { signIn } from '#tests/support/browser/browser.ts'
import { type ChromiumProcess, startChromium } from '#tests/support/browser/chromium.ts'
import { waitForController, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture } = setUpShared()
let folder: string
let browser: ChromiumProcess | null = null
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'portal-killed-'))))
afterEach(async () => {
  if (browser?.isRunning()) await browser.kill()
  rmSync(folder, { recursive: true, force: true })
})

async function openWithRenewal(page: Page): Promise<void> {
  const context = page.context()
  await context.clearCookies({ name: /portal-access/ })
  await page.goto(`${fixture.portal.url}/saas/app/company`)
  await page.locator('main h1').waitFor()
  const readNames = async () => (await context.cookies()).map(({ name }) => name)
  await expect.poll(async () => (await readNames()).some((name) => name.includes('portal-access'))).toBe(true)
}

it('A user stays signed in after the browser is killed before it saved the renewed session (fault 14d)', async () => {
  browser = await startChromium(folder)
  const first = await browser.openPage()
  await signIn(first, fixture.portal, 'admin')
  await waitForController(first)
  await browser.close()

  browser = await startChromium(folder)
  const second = await browser.openPage()
  await openWithRenewal(second)
  await browser.kill()
  // The wait is longer than the period in which a parent token is accepted regardless of its child.
  await wait(11_000)

  browser = await startChromium(folder)
  const third = await browser.openPage()
  await openWithRenewal(third)
  expect(new URL(third.url()).pathname).toBe('/saas/app/company')
  expect(fixture.portal.output()).not.toContain('token_reused')
}, 120_000)
