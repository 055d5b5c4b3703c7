/** The first visit of a device to a list: it waits as one that waits, and is not said to be empty. */
import { expect, it } from 'vitest'
import { signIn } from '#tests/support/browser.ts'
import { desk, rows, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()

it('a device that knows who is there and no user yet never says that there is nobody, before the first rows', async () => {
  const first = await the.browser.newContext(desk)
  ends.push(() => first.close())
  await signIn(await first.newPage(), the.portal, 'admin')
  const storageState = await first.storageState({ indexedDB: true })
  for (let visit = 0; visit < 3; visit++) {
    const context = await the.browser.newContext({ ...desk, storageState })
    ends.push(() => context.close())
    const page = await context.newPage()
    await page.addInitScript(() => {
      const isEmpty = () => document.querySelector('.list:not(:has(table))') !== null
      const look = () => isEmpty() && document.documentElement.setAttribute('data-empty', '')
      new MutationObserver(look).observe(document, { childList: true, subtree: true })
    })
    await page.goto(`${the.portal.url}/saas/app/user`)
    await rows(page).first().waitFor()
    expect(await page.locator('html[data-empty]').count()).toBe(0)
  }
})
