/** Tests the shell by touch, in two languages and two tabs. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  openPath,
  waitForList,
  takeOwnCompany,
  phone,
  setUpShared,
  createVisits,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { open, go, resume } = createVisits(setup)

describe('the shell by touch', () => {
  let page: Page
  beforeAll(async () => {
    const options = { viewport: { width: 390, height: 900 }, hasTouch: true, isMobile: true }
    ;({ page } = await resume('staff', '/app/user', options))
    await waitForList(page)
  })

  it('has touch targets of at least 44 px, on a phone and on tablets (T-01)', async () => {
    for (const width of [390, 820, 1024]) {
      await page.setViewportSize({ width, height: 900 })
      const small = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('button, select, main input, nav a, footer a')]
          .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0)
          .map((element) => ({ element, box: (element.closest('.check') ?? element).getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && box.height < 44)
          .map(({ element, box }) => `${element.className || element.tagName} ${element.textContent} ${box.height}`),
      )
      expect([width, small]).toEqual([width, []])
    }
  })

  it('shows the full company name on one line in the header, in both languages (M13)', async () => {
    // Uses its own company, because the language chosen here would affect other tests of the staff user.
    const { page } = await resume(takeOwnCompany().admin, '/app/home', phone)
    const language = page.locator('.bar .language')
    const fits = async (other: string) => {
      await expect.poll(() => language.innerText()).toBe(other)
      // The account's language is a normal write: a mark shows that it waits until it is sent.
      await expect
        .poll(() =>
          page
            .locator('.bar-company')
            .evaluate((element) => [
              element.scrollWidth - element.clientWidth,
              element.getBoundingClientRect().height < 30,
            ]),
        )
        .toEqual([0, true])
    }
    await fits('中文')
    await language.click()
    await fits('English')
    await language.click()
    await fits('中文')
  })

  it('shows the product at the left of the header to visitors', async () => {
    const { page, close } = await open(phone)
    await go(page, '/login')
    await expect.poll(async () => (await page.locator('.entry .bar-product').boundingBox())?.x).toBeLessThan(30)
    await close()
  })

  it('applies the client type that another tab selects, and ignores an invalid stored client type (M3)', async () => {
    const getClientTypeField = (tab: Page) => tab.getByRole('combobox', { name: 'Client type' })
    await openPath(page, setup.fixture.portal, '/app/m18/price')
    await getClientTypeField(page).waitFor()
    const other = await page.context().newPage()
    await openPath(other, setup.fixture.portal, '/app/m18/module')
    await getClientTypeField(other).selectOption('mma')
    await expect.poll(() => getClientTypeField(page).inputValue()).toBe('mma')
    await page.bringToFront()
    await page.evaluate(() => localStorage.setItem('portal.clientType', 'other'))
    await page.reload()
    await expect.poll(() => getClientTypeField(page).inputValue(), { timeout: 30_000 }).toBe('saas')
  })
})
