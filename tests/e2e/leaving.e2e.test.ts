import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, it } from 'vitest'
import { signIn } from '#tests/support/browser.ts'
import { setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
let page: Page

const rows = () => page.locator('table.table tbody tr:not(.waiting)')
const go = async (name: string) => {
  await page.goto(`${the.portal.url}/saas/app/user?searchText=${name}`)
  await rows().locator('.lead a').first().waitFor()
}
const left = () => page.getByRole('heading', { name: 'You are logged out' }).waitFor({ timeout: 30_000 })

/** Changes a user without a network, and goes to where one leaves. */
async function leaveUnsent(name: string) {
  await go(name)
  // The network goes once the worker has everything, as it has after the first seconds of a first visit.
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  await page.context().setOffline(true)
  await rows().locator('.lead a').first().click()
  await page.getByRole('dialog').getByLabel('Alert', { exact: true }).click()
  await page.getByRole('dialog').locator('button[type="submit"]').click()
  await page.locator('.toast', { hasText: 'Saved on this device.' }).first().waitFor()
  await page.goto(`${the.portal.url}/saas/logout`)
  await page.getByRole('heading', { name: '1 change has not been sent yet' }).waitFor()
  await page.getByText('It is safe on this device.', { exact: false }).waitFor()
}

async function comeBack(name: string) {
  await page.context().setOffline(false)
  await signIn(page, the.portal, 'admin')
  await go(name)
}

const rolesOf = async (name: string) => {
  await comeBack(name)
  await expect.poll(() => page.locator('table[aria-busy="true"]').count()).toBe(0)
  expect(await page.locator('.bar-waiting').count()).toBe(0)
  return await rows().first().innerText()
}

describe('leaving with unsent work (M24)', () => {
  beforeEach(async () => {
    const context = await the.browser.newContext()
    ends.push(() => context.close())
    page = await context.newPage()
    await signIn(page, the.portal, 'admin', '/app/user')
  })

  it('asks what is to become of it, and keeps it by default', async () => {
    await leaveUnsent('agnes')
    expect(await page.getByLabel('Keep for my next login').isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Keep and log out' }).click()
    await left()
    await comeBack('agnes')
    await expect.poll(async () => await rows().first().innerText(), { timeout: 30_000 }).toContain('Alert')
    await expect.poll(() => page.locator('.bar-waiting').count(), { timeout: 30_000 }).toBe(0)
  })

  it('sends it first, as soon as there is a line, and leaves then', async () => {
    await leaveUnsent('alice')
    await page.getByLabel('Send now, then log out').check()
    const send = page.getByRole('button', { name: 'Send and log out' })
    expect(await send.getAttribute('aria-disabled')).toBe('true')
    await page.context().setOffline(false)
    // It goes by itself too: whoever is quicker.
    void send.click({ timeout: 15_000 }).catch(() => undefined)
    await left()
    expect(await rolesOf('alice')).toContain('Alert')
  })

  it('throws it away when that is said twice, and nobody ever gets it', async () => {
    await leaveUnsent('angela')
    await page.getByLabel('Throw away').check()
    await page.getByRole('button', { name: 'Throw away and log out' }).click()
    await page.getByText('1 change will be lost for good.').waitFor()
    await page.getByRole('button', { name: 'Yes, throw away and log out' }).click()
    await left()
    expect(await rolesOf('angela')).not.toContain('Alert')
  })
})
