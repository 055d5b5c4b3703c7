/** Tests a tablet in portrait: lists are tables that fit their frame and show all selected columns (T-02). */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { waitForFrame } from '#tests/support/browser/looks.ts'
import { resize, openWalk } from '#tests/support/browser/screen-walk.ts'
import { adminScreens, type Screen, serviceScreens, staffScreens } from '#tests/support/browser/screens.ts'
import { openSweep } from '#tests/support/browser/sweep.ts'
import { setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

const portraitSizes = [768, 834, 960].map((width) => ({ width, height: 1024, isTouched: true, isMobile: false }))

/** Returns headers whose column is too narrow for a single word in it, and by how much the table exceeds its frame. */
const findColumnFaults = (page: Page) =>
  page.evaluate(() => {
    const table = document.querySelector('.rows')
    const frame = table?.closest('.list')
    if (!table || !frame) return ['no list']
    const heads = [...table.querySelectorAll('th:not(.pick, .acts)')].filter((element) => element.checkVisibility())
    const over = table.getBoundingClientRect().right - frame.getBoundingClientRect().right
    return [
      ...heads.flatMap((element) =>
        element.clientWidth < (element.classList.contains('w-short') ? 48 : 72)
          ? [`${element.textContent} ${element.clientWidth}`]
          : [],
      ),
      ...(heads.length < 3 ? [`${heads.length} columns`] : []),
      ...(over > 0 ? [`${over} px over`] : []),
    ]
  })

it.each([
  ['admin', adminScreens, ['contracts', 'users', 'trail']],
  ['staff', [...staffScreens, ...serviceScreens], ['services', 'staff-modules', 'staff-prices']],
] as const)('The lists of the user "%s" show all columns on a tablet in portrait', async (user, all, names) => {
  const context = await openSweep(setup, user)
  const { session, page, begin, show } = await openWalk(context, setup.fixture.portal.url)
  const screens = names.flatMap((name) => (all as readonly Screen[]).filter((screen) => screen.name === name))
  expect(screens.map(({ name }) => name)).toEqual(names)
  await begin('en', screens[0] as Screen)
  const faultsByScreen: Record<string, string[]> = {}
  for (const screen of screens) {
    await show(screen)
    for (const portraitSize of portraitSizes) {
      await resize(session, portraitSize)
      await waitForFrame(page)
      const faults = await findColumnFaults(page)
      if (faults.length > 0) faultsByScreen[`${screen.name}, ${portraitSize.width}`] = faults
    }
  }
  expect(faultsByScreen).toEqual({})
})
