/**
 * Every screen of a stranger and of the provider's staff, at a desk, on a tablet and on a phone, in both languages and themes:
 * nothing scrolls sideways, no text is cut or missing, none breaks the page's policy or asks another host, none bars anybody
 * (T-02, I-01, H-01, P-33, A-01, A-30).
 */
import { expect, it } from 'vitest'
import { insidePlaces, places } from '#app/routes/paths.ts'
import { fit } from '#tests/support/looks.ts'
import { missingTexts } from '#tests/support/missing-texts.ts'
import { expectSwept, offencesOf, opened, openSweep, patience, refused, type Screen } from '#tests/support/sweep.ts'
import { setUpShared } from '#tests/support/visit.ts'

const setup = setUpShared()

const visitors: Screen[] = [
  { path: '/login' },
  { path: '/login', act: refused },
  { path: '/signup' },
  { path: '/signup', act: refused },
  { path: '/forget' },
  { path: '/resetPwd?otk=x' },
  { path: '/sys/activate?otk=x' },
  { path: '/entrance?code=acmetrade', shows: '.entrance-found' },
  { path: '/entrance?code=select', shows: '.field-error' },
  { path: '/nowhere/at/all' },
]

const staffs: Screen[] = [
  ...insidePlaces
    .filter((place) => places[place].who === 'providerAdmin')
    .map((place) => ({ path: places[place].path.replace(/:\w+/, '1') })),
  { path: '/app/m18/automodule/new', shows: '[name=code]', act: refused },
  // Nothing is rehearsed before the form is sound.
  { path: '/app/m18/price/new', shows: '[name=desc]', act: opened('.price-rehearsal button', '.field-error') },
  { path: '/app/m18/price', shows: '.price-day', act: opened('.page-action button:not(.bare)', 'input[type=file]') },
  {
    path: '/app/m18/module',
    shows: '.module-code',
    act: opened('.page-action button[aria-pressed]', '.module-graph li'),
  },
]

it('the screens of visitors', async () => void (await expectSwept(setup, null, visitors)), patience)

it('the screens of staff', async () => void (await expectSwept(setup, 'staff', staffs)), patience)

it('would notice an offence, a text that is missing and one that is too wide', async () => {
  const { url } = setup.the.portal
  const context = await openSweep(setup, null)
  const offences = offencesOf(context, url)
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
  expect(await missingTexts(page)).toEqual(['field.showPassword'])
  expect((await fit(page)).sideways[1]).toMatch(/^div\. to 3\d{3}$/)
})
