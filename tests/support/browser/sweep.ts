/**
 * Looks once at each of many screens. At a desk and on a phone nothing scrolls sideways, no text is cut or missing, controls are
 * large enough for a finger or a mouse, one `h1` stands over headings in order, and landmarks are told apart. Axe checks every third
 * screen of a round. The first screen is shown light in English, the next dark in Chinese, and so on. By night (`nightly.ts`) every
 * screen is checked in both languages, on a tablet, by axe, with type twice as large, and with text set apart on a narrow phone.
 * The app is loaded once for each language.
 */
import type { BrowserContext } from 'playwright-core'
import { expect } from 'vitest'
import { languageTags } from '#app/i18n/language.ts'
import { seriousTrouble, signIn } from '#tests/support/browser/browser.ts'
import { fitTwice } from '#tests/support/browser/looks.ts'
import { missingAmong } from '#tests/support/browser/missing-texts.ts'
import { byDay, isNight } from '#tests/support/runner/nightly.ts'
import { faultsOf, setApart, targets } from '#tests/support/browser/screen-faults.ts'
import { resize, sizes, still, type Walk, walkIn } from '#tests/support/browser/screen-walk.ts'
import type { Screen } from '#tests/support/browser/screens.ts'
import type { SetUp } from '#tests/support/browser/visit.ts'

/** For all screens of a test, on a busy machine too, ms. */
export const patience = 600_000

type Swept = 'admin' | 'user' | 'staff' | null

/** A browser of its own that stands still. Its size is `resize`'s to choose. */
export async function openSweep({ the, ends }: SetUp, who: Swept): Promise<BrowserContext> {
  const context = await the.browser.newContext(still)
  ends.push(() => context.close())
  if (!who) return context
  const page = await context.newPage()
  await signIn(page, the.portal, who)
  await page.close()
  return context
}

/** What breaks the page's policy, and what is asked of other hosts than `url`'s, from now on. */
export function offencesOf(context: BrowserContext, url: string): string[] {
  const { host } = new URL(url)
  const offences: string[] = []
  context.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) offences.push(message.text())
  })
  context.on('request', (request) => {
    if (/^(https?|wss?):/.test(request.url()) && new URL(request.url()).host !== host) offences.push(request.url())
  })
  return offences
}

const rounds = [
  { lang: 'en', colorScheme: 'light' },
  { lang: 'zh', colorScheme: 'dark' },
] as const

/** What is looked at in the round at that place. */
const turnOf = (screens: readonly Screen[], round: number) =>
  isNight ? screens : screens.filter((_, at) => at % rounds.length === round)

/** Whether axe checks the screen at that position of a round. */
const isForAxe = (at: number) => isNight || at % 3 === 0

const sizeNames = byDay(['desk', 'phone', 'tablet'] as const, 2)

/** In each language in which it was seen. */
export interface Titled {
  screen: Screen
  title: string
}

type Note = (what: string, wrong: readonly unknown[]) => void

/** As each size shows it. A screen that exists in one size only is checked in that one. */
async function lookInEachSize({ page, session }: Walk, { only }: Screen, note: Note) {
  for (const name of only ? [only] : sizeNames) {
    const { width, isTouched } = sizes[name]
    await resize(session, sizes[name])
    const target = isTouched ? targets.finger : targets.mouse
    const { keyLike, ...faults } = await faultsOf(page, { width, isTouched, target })
    for (const [what, wrong] of Object.entries(faults)) note(`${name}: ${what}`, wrong)
    note(`${name}: missing`, missingAmong(keyLike))
  }
}

/** With type twice as large at the desk where it is, and with text set apart where it is narrowest. */
async function lookEnlarged({ page, session }: Walk, note: Note) {
  const twice = await fitTwice(page)
  note('type 200%: sideways', twice.sideways)
  note('type 200%: cut', twice.cut)
  await Promise.all([resize(session, sizes.narrow), setApart(page, true)])
  try {
    const { sideways, cut } = await faultsOf(page, { width: sizes.narrow.width })
    note('text set apart: sideways', sideways)
    note('text set apart: cut', cut)
  } finally {
    // One that fails is not seen on the screens that follow.
    await setApart(page, false)
  }
}

/** So long a screen may take for all that is looked at, ms: one that never answers hides nothing of the others. */
const most = 90_000

/** What is wrong with the looks themselves: one that failed, or was not over in time, by its name. */
async function looked(looks: Record<string, () => Promise<void>>): Promise<string | null> {
  let at = ''
  const work = async () => {
    for (const [name, look] of Object.entries(looks)) {
      at = name
      await look()
    }
    return null
  }
  const over = new Promise<string>((done) => setTimeout(() => done(`not over in ${most} ms`), most).unref())
  const problem = await Promise.race([work().catch(String), over])
  return problem && `${at}: ${problem}`
}

/** Goes through the screens in one page, a round for each language. What is wrong, by screen and kind: nothing is what is wanted. */
async function sweep(context: BrowserContext, url: string, screens: readonly Screen[]) {
  const walk = await walkIn(context, url)
  const { page } = walk
  const found: Record<string, unknown> = {}
  const titles: Titled[] = []
  for (const [round, { lang, colorScheme }] of rounds.entries()) {
    const turn = turnOf(screens, round)
    if (!turn[0]) continue
    await page.emulateMedia({ colorScheme })
    await walk.begin(lang, turn[0])
    for (const [at, screen] of turn.entries()) {
      const note: Note = (what, wrong) => {
        if (wrong.length > 0) found[`${screen.name}, ${lang}, ${what}`] = wrong
      }
      // One that does not come hides nothing of the others.
      const problem = await looked({
        show: () => walk.show(screen),
        ...(isForAxe(at) && {
          axe: async () => note(`${colorScheme}: axe`, await seriousTrouble(page, screen.over)),
        }),
        ...(isNight && { enlarged: () => lookEnlarged(walk, note) }),
        sizes: () => lookInEachSize(walk, screen, note),
        title: async () => void titles.push({ screen, title: await page.title() }),
      })
      if (problem) note('was not seen', [problem])
    }
    expect(
      await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']]),
    ).toEqual([languageTags[lang], colorScheme])
  }
  return { found, titles }
}

/** Nothing wrong on these screens, for somebody of the demo world or a stranger. Answers with their titles. */
export async function expectSwept(setup: SetUp, who: Swept, screens: readonly Screen[]) {
  const context = await openSweep(setup, who)
  const offences = offencesOf(context, setup.the.portal.url)
  const { found, titles } = await sweep(context, setup.the.portal.url, screens)
  expect(found).toEqual({})
  expect(offences).toEqual([])
  return titles
}
