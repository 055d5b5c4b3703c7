/**
 * Checks every screen of visitors and staff, on desktop, tablet and phone, in both languages and themes: nothing scrolls sideways, no text
 * is clipped or missing, targets are large enough, headings and landmarks are in order, no page violates its policy or requests another
 * host, and all pages are accessible (T-01, T-02, I-01, H-01, P-33, A-01, A-04, A-15, A-30).
 */
import { expect, it } from 'vitest'
import { findMissingTexts } from '#tests/support/browser/missing-texts.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { findFaults } from '#tests/support/browser/screen-faults.ts'
import {
  appScreens,
  serviceScreens,
  type Screen,
  staffScreens,
  visitorScreens,
} from '#tests/support/browser/screens.ts'
import { expectCleanSweep, watchOffences, openSweep, sweepTimeoutMs } from '#tests/support/browser/sweep.ts'
import { setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

it(
  'The screens of visitors have no faults',
  async () => void (await expectCleanSweep(setup, null, visitorScreens)),
  sweepTimeoutMs,
)

it(
  'The screens of staff have no faults',
  async () => {
    const titled = await expectCleanSweep(setup, 'staff', [...staffScreens, ...serviceScreens, ...appScreens])
    const expectTitles = (screens: readonly Screen[], like: RegExp) => {
      const titles = titled.filter(({ screen }) => screens.includes(screen)).map(({ title }) => title)
      expect(titles.length).toBeGreaterThanOrEqual(screens.length)
      for (const title of titles) expect(title).toMatch(like)
    }
    expectTitles(serviceScreens, / · M18 /)
    expectTitles(appScreens, /^(App|应用|上传)/)
  },
  sweepTimeoutMs,
)

nightly('The sweep reports a policy violation, a missing text and a text that is too wide', async () => {
  const { url } = setup.fixture.portal
  const context = await openSweep(setup, null)
  const offences = watchOffences(context, url)
  const page = await context.newPage()
  await page.goto(`${url}/saas/login`)
  await page.locator('main h1').first().waitFor()
  await page.evaluate(() => {
    const style = document.createElement('style')
    style.textContent = 'body { color: red }'
    document.head.append(style)
  })
  await expect.poll(() => offences.join()).toContain('style-src')
  await page.evaluate(() => {
    const [key, wide] = [document.createElement('p'), document.createElement('div')]
    key.textContent = 'field.showPassword'
    Object.assign(wide.style, { width: '3000px', height: '1px', flexShrink: '0' })
    document.body.append(key, wide)
  })
  const { keyLike, sideways } = await findFaults(page)
  expect(findMissingTexts(keyLike)).toEqual(['field.showPassword'])
  expect(sideways[1]).toMatch(/^div\. to 3\d{3}$/)
})
