import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type people, seriousTrouble, sidewaysScroll, signIn } from '#tests/support/browser.ts'
import { setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
let page: Page

async function enter(who: keyof typeof people = 'admin', options: BrowserContextOptions = {}, at = '/app/home') {
  const context = await the.browser.newContext(options)
  ends.push(() => context.close())
  page = await context.newPage()
  await signIn(page, the.portal, who, at)
}

const links = () => page.locator('table.table .lead a')
const drawer = () => page.getByRole('dialog')
const query = () => new URL(page.url()).search
const go = async (search: string) => {
  await page.goto(`${the.portal.url}/saas/app/user${search}`)
  await links().first().waitFor()
}

describe('home', () => {
  it('greets by name and company, and offers what one may do and what awaits one (M16, C-32)', async () => {
    await enter()
    await page.getByRole('heading', { level: 1, name: /Amelia Chan/ }).waitFor()
    await page.getByRole('link', { name: /users have not activated their accounts yet/ }).click()
    await expect.poll(query).toBe('?statusType=0')
    await enter('user')
    await expect.poll(() => page.locator('.home-card').count()).toBe(2)
    await page.getByText('Nothing awaits you').waitFor()
    await page.goto(`${the.portal.url}/saas/app/user`)
    await page.waitForURL(/\/app\/home$/)
  })

  it('stands without a network', async () => {
    await enter()
    await page.locator('.home-item').first().waitFor()
    // The network goes once the worker has everything, as it has after the first seconds of a first visit.
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.context().setOffline(true)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: /Amelia Chan/ }).waitFor()
    await page.locator('.home-item').first().waitFor()
  })
})

describe.each([
  ['en', 'light'],
  ['en', 'dark'],
  ['zh', 'light'],
  ['zh', 'dark'],
] as const)('the pages inside, in %s and %s', (language, colorScheme) => {
  it('have nothing serious for axe and never scroll sideways (A-01, T-02)', async () => {
    // Nothing is judged while it is still fading in.
    await enter('admin', { colorScheme, reducedMotion: 'reduce' }, `/app/home?lang=${language}`)
    const look = async (what: string) => {
      expect({ what, found: await seriousTrouble(page) }).toEqual({ what, found: [] })
      for (const width of [1280, 1024, 390]) {
        await page.setViewportSize({ width, height: 800 })
        expect([what, width, await sidewaysScroll(page)]).toEqual([what, width, 0])
      }
      await page.setViewportSize({ width: 1280, height: 800 })
    }
    await page.locator('.home-item').first().waitFor()
    await look('home')
    await go('?statusType=0')
    await look('users')
    await page.locator('.row-actions [aria-haspopup="menu"]').first().click()
    await page.getByRole('menu').waitFor()
    await look('row menu')
    await page.keyboard.press('Escape')
    await links().first().click()
    await drawer().locator('form').waitFor()
    await look('edit')
    await go('?user=new')
    await drawer().locator('form').waitFor()
    await drawer().locator('button[type="submit"]').click()
    await drawer().locator('.field-error').first().waitFor()
    await look('new, with errors')
    await page.goto(`${the.portal.url}/saas/app/user?searchText=nobody+at+all`)
    await page.locator('.empty').waitFor()
    await look('nothing found')
  })
})
