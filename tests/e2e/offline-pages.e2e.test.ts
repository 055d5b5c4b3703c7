/** Every place that one may enter opens without a network, in a tab that was never there (P-09, R-41). */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { insidePlaces, places } from '#app/paths.ts'
import { signIn } from '#tests/support/browser.ts'
import { filesKept, partKept } from '#tests/support/parts.ts'
import { controlled, desk, setUp } from '#tests/support/visit.ts'

const { the, ends } = setUp()
const staffsOnly = insidePlaces.filter((place) => places[place].who === 'providerAdmin')

/** Without a price list, and none was read here yet, these lead to the list (M68). */
const toList: readonly string[] = ['newContract', 'contract']

async function enter(who: 'staff' | 'admin'): Promise<Page> {
  const context = await the.browser.newContext({ ...desk, reducedMotion: 'reduce' })
  ends.push(() => context.close())
  const page = await context.newPage()
  await signIn(page, the.portal, who)
  await controlled(page)
  return page
}

it.each([
  ['staff', insidePlaces],
  ['admin', insidePlaces.filter((place) => !staffsOnly.includes(place))],
] as const)(
  'for %s',
  async (who, open) => {
    const page = await enter(who)
    await partKept(page, 'orders')
    if (who === 'staff') await partKept(page, 'staff')
    else expect(await filesKept(page, 'staff')).toBe(0)
    await page.context().setOffline(true)
    const stands: string[] = []
    const slow: string[] = []
    for (const place of open) {
      const path = places[place].path.replace(/:\w+/, '1')
      const since = performance.now()
      await page.goto(`${the.portal.url}/saas${path}`)
      await page.locator('main h1, main h2').first().waitFor()
      if (performance.now() - since > 5_000) slow.push(place)
      const broken = await page.getByText(/Something went wrong here|This page needs a connection/).count()
      const at = `/saas${toList.includes(place) ? places.contracts.path : path}`
      await page.waitForURL((url) => url.pathname === at, { timeout: 5_000 }).catch(() => undefined)
      if (broken === 0 && new URL(page.url()).pathname === at) stands.push(place)
    }
    expect(stands).toEqual([...open])
    expect(slow).toEqual([])
  },
  180_000,
)

/** That nobody opened here before: what is missing, and that it comes by itself. */
describe.each([
  ['en', "The company's profile could not be read yet.", 'comes by itself as soon as there is a connection'],
  ['zh', '暂时无法读取公司资料。', '恢复连接后会自动读取'],
] as const)('a page whose content was never here, %s', (language, missing, comes) => {
  it('says so, and brings it when the line is back (P-10)', async () => {
    const context = await the.browser.newContext({ ...desk, reducedMotion: 'reduce' })
    ends.push(() => context.close())
    const page = await context.newPage()
    await signIn(page, the.portal, 'admin')
    await controlled(page)
    if (language === 'zh') await page.getByRole('button', { name: '中文' }).click()
    await context.setOffline(true)
    await page.goto(`${the.portal.url}/saas/app/profile/company`)
    await page.getByText(missing).waitFor()
    await page.getByText(comes).first().waitFor()
    await context.setOffline(false)
    await page.locator('main form').waitFor()
    expect(await page.getByText(missing).count()).toBe(0)
  }, 60_000)
})
