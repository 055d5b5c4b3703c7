/**
 * Opens every dialog, drawer and menu in English and Chinese and checks it with axe, in light and dark, on desktop and phone.
 * The crawl must have opened all of `crawledDialogs`.
 */
import { expect, it } from 'vitest'
import { crawlDialogs, type DialogCrawl } from '#tests/support/browser/dialog-crawl.ts'
import { crawledDialogs } from '#tests/support/browser/dialogs.ts'
import { openWalk } from '#tests/support/browser/screen-walk.ts'
import { adminScreens, appScreens, serviceScreens, staffScreens, type Screen } from '#tests/support/browser/screens.ts'
import { openSweep } from '#tests/support/browser/sweep.ts'
import { setUpShared } from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()

const crawlTimeoutMs = 1_800_000

async function crawl(user: 'admin' | 'staff', screens: readonly Screen[]): Promise<DialogCrawl> {
  const context = await openSweep(setup, user)
  const result: DialogCrawl = { titles: new Set(), faults: {}, checkedLabels: new Set() }
  const walk = await openWalk(context, setup.fixture.portal.url)
  for (const lang of ['en', 'zh'] as const) {
    result.checkedLabels.clear()
    for (const [index, screen] of screens.entries()) {
      if (index === 0) await walk.begin(lang, screen)
      await crawlDialogs(walk, screen, result, lang)
    }
  }
  return result
}

const findUnopenedDialogs = (user: 'admin' | 'staff', titles: ReadonlySet<string>) =>
  Object.entries(crawledDialogs[user]).flatMap(([file, title]) =>
    [...titles].some((openedTitle) => title.test(openedTitle)) ? [] : [file],
  )

/** Screens without an open dialog: the crawl opens those itself. */
const selectScreens = (screens: readonly Screen[]) =>
  screens.filter(({ name, prepare, onlySize }) => !prepare && !onlySize && !name.endsWith('-none'))

it(
  'The dialogs and menus of an admin are accessible',
  async () => {
    const { faults, titles } = await crawl('admin', selectScreens(adminScreens))
    expect(faults).toEqual({})
    expect(findUnopenedDialogs('admin', titles)).toEqual([])
  },
  crawlTimeoutMs,
)

it(
  'The dialogs and menus of staff are accessible',
  async () => {
    const { faults, titles } = await crawl('staff', selectScreens([...staffScreens, ...serviceScreens, ...appScreens]))
    expect(faults).toEqual({})
    expect(findUnopenedDialogs('staff', titles)).toEqual([])
  },
  crawlTimeoutMs,
)
