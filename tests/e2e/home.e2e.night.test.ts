import { expect, it } from 'vitest'
import { signIn } from '#tests/support/browser/browser.ts'
import { waitForController, desktop, phone, resumePage, setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

it('Home shows counts and what needs attention, and works offline (M16, C-32)', async () => {
  const page = await resumePage(setup, 'admin', '/app/home')
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.locator('.home-item').first().waitFor()
  await waitForController(page)
  await page.context().setOffline(true)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  await page.locator('.home-item').first().waitFor()
  const figures = await page.locator('.home-figure').allInnerTexts()
  expect(figures.map((text) => text.split('\n')[0])).toEqual([
    'Contracts in effect',
    'To pay',
    'Users',
    'Waiting changes',
  ])
  for (const text of figures.slice(0, 3)) expect(text).toMatch(/\d/)
  expect(await page.locator('.home-updated').innerText()).toMatch(/^Updated (just now|\d+ min ago)$/)
  await page.getByRole('link', { name: /users have not activated their accounts/ }).click()
  await expect.poll(() => new URL(page.url()).search).toBe('?statusType=0')
})

const devices = [
  ['a phone', phone],
  ['a desktop', desktop],
] as const

it.each(devices)('Home loads on %s without cached data and without a layout shift', async (_, device) => {
  const context = await setup.fixture.browser.newContext({ ...device, reducedMotion: 'reduce' })
  setup.cleanups.push(() => context.close())
  await context.addInitScript(() => {
    const shifts: unknown[] = []
    Object.assign(globalThis, { shifts })
    new PerformanceObserver((list) => {
      for (const shift of list.getEntries() as (PerformanceEntry & { value: number; sources?: { node?: Node }[] })[])
        shifts.push([shift.value, ...(shift.sources ?? []).map(({ node }) => (node as Element)?.className)])
    }).observe({ type: 'layout-shift', buffered: true })
  })
  const page = await context.newPage()
  await signIn(page, setup.fixture.portal, 'admin', '/app/home')
  await page.locator('.home-attention .home-item').first().waitFor()
  await page.locator('.home-entry').first().waitFor()
  await page.waitForTimeout(500)
  const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: [number, ...string[]][] }).shifts)
  const sum = shifts.reduce((all, [value]) => all + value, 0)
  expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(0.05)
})
