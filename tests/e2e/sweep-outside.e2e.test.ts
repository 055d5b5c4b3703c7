/**
 * Every screen of a stranger and of the provider's staff, at a desk, on a tablet and on a phone, in both languages and themes:
 * nothing scrolls sideways, no text is cut or missing, what is pressed is large enough, headings and landmarks are in order, none
 * breaks the page's policy or asks another host, none bars anybody (T-01, T-02, I-01, H-01, P-33, A-01, A-04, A-15, A-30).
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

it('the screens of visitors', async () => void (await expectCleanSweep(setup, null, visitorScreens)), sweepTimeoutMs)

it(
  'the screens of staff',
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

nightly('would notice an offence, a text that is missing and one that is too wide', async () => {
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
