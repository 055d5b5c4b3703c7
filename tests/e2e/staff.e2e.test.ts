/** What only the provider's people have in the frame (M2, M3, M12, M15, M17). */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { seriousTrouble } from '#tests/support/browser.ts'
import { desk, phone, visits } from '#tests/support/visit.ts'

const { inside, go } = visits()

const choice = (page: Page) => page.getByRole('combobox', { name: 'Client type' })
/** The frame's last parts come when the page has come to rest: after the others nothing more is to be expected. */
const settled = async (page: Page) => {
  await page.locator('.bar-activity button').waitFor()
  await page.waitForTimeout(1500)
}

describe('the client type (M3)', () => {
  it('is chosen by the delete level on the staff pages alone, saas at first, and holds on all of them', async () => {
    const { page, close, wrong } = await inside('staff', '/app/m18/price', { ...desk, reducedMotion: 'reduce' })
    await choice(page).waitFor()
    expect(await choice(page).inputValue()).toBe('saas')
    expect(await choice(page).locator('option').allInnerTexts()).toEqual(['saas', 'mma'])
    expect(await seriousTrouble(page)).toEqual([])
    await choice(page).selectOption('mma')
    for (const path of [
      '/app/service',
      '/app/apphistory',
      '/app/m18/upload',
      '/app/m18/module/new',
      '/app/m18/automodule',
    ]) {
      await go(page, path)
      await choice(page).waitFor()
      expect([path, await choice(page).inputValue()]).toEqual([path, 'mma'])
    }
    await page.locator('.rail nav a', { hasText: 'Users' }).click()
    await page.getByRole('heading', { level: 1, name: 'Users' }).waitFor()
    await expect.poll(() => choice(page).count()).toBe(0)
    expect(wrong).toEqual([])
    await close()
  })

  it('of another tab is this tab’s at once, and what is stored there by others is not believed', async () => {
    const { page, close } = await inside('staff', '/app/m18/price', phone)
    await choice(page).waitFor()
    const other = await page.context().newPage()
    await go(other, '/app/m18/module')
    await choice(other).selectOption('mma')
    await expect.poll(() => choice(page).inputValue()).toBe('mma')
    await page.evaluate(() => localStorage.setItem('portal.clientType', 'other'))
    await page.reload()
    await expect.poll(() => choice(page).inputValue()).toBe('saas')
    await close()
  })

  it.each(['clerk', 'admin'] as const)(
    'is no matter of the %s, who is led home from the staff pages (M11, M15)',
    async (who) => {
      const { page, close } = await inside(who, '/app/home')
      await page.evaluate(() => localStorage.setItem('portal.clientType', 'mma'))
      await go(page, '/app/m18/price')
      await page.waitForURL((url) => url.pathname === '/saas/app/home')
      await settled(page)
      expect(await choice(page).count()).toBe(0)
      expect(await page.locator('.rail nav a', { hasText: 'Price lists' }).count()).toBe(0)
      await close()
    },
  )
})
