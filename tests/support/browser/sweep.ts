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
import { findSeriousViolations, signIn } from '#tests/support/browser/browser.ts'
import { findEnlargedOverflow } from '#tests/support/browser/looks.ts'
import { findMissingTexts } from '#tests/support/browser/missing-texts.ts'
import { limitByDay, isNight } from '#tests/support/runner/nightly.ts'
import { findFaults, setTextSpacing, targets } from '#tests/support/browser/screen-faults.ts'
import { resize, sizes, stillContextOptions, type ScreenWalk, openWalk } from '#tests/support/browser/screen-walk.ts'
import type { Screen } from '#tests/support/browser/screens.ts'
import type { TestSetup } from '#tests/support/browser/browser-setup.ts'

/** For all screens of a test, on a busy machine too, ms. */
export const sweepTimeoutMs = 600_000

type SweptUser = 'admin' | 'user' | 'staff' | null

/** A browser of its own that stands still. Its size is `resize`'s to choose. */
export async function openSweep({ fixture, cleanups }: TestSetup, user: SweptUser): Promise<BrowserContext> {
  const context = await fixture.browser.newContext(stillContextOptions)
  cleanups.push(() => context.close())
  if (!user) return context
  const page = await context.newPage()
  await signIn(page, fixture.portal, user)
  await page.close()
  return context
}

/** What breaks the page's policy, and what is asked of other hosts than `url`'s, from now on. */
export function watchOffences(context: BrowserContext, url: string): string[] {
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
const selectScreens = (screens: readonly Screen[], round: number) =>
  isNight ? screens : screens.filter((_, index) => index % rounds.length === round)

/** Whether axe checks the screen at that position of a round. */
const isForAxe = (index: number) => isNight || index % 3 === 0

const sizeNames = limitByDay(['desktop', 'phone', 'tablet'] as const, 2)

/** In each language in which it was seen. */
export interface ScreenTitle {
  screen: Screen
  title: string
}

type ReportFault = (faultName: string, details: readonly unknown[]) => void

/** As each size shows it. A screen that exists in one size only is checked in that one. */
async function lookInEachSize({ page, session }: ScreenWalk, { onlySize }: Screen, reportFault: ReportFault) {
  for (const name of onlySize ? [onlySize] : sizeNames) {
    const { width, isTouched } = sizes[name]
    await resize(session, sizes[name])
    const target = isTouched ? targets.finger : targets.mouse
    const { keyLike, ...faults } = await findFaults(page, { width, isTouched, target })
    for (const [faultName, details] of Object.entries(faults)) reportFault(`${name}: ${faultName}`, details)
    reportFault(`${name}: missing`, findMissingTexts(keyLike))
  }
}

/** With type twice as large at the desk where it is, and with text set apart where it is narrowest. */
async function lookEnlarged({ page, session }: ScreenWalk, reportFault: ReportFault) {
  const enlargedOverflow = await findEnlargedOverflow(page)
  reportFault('type 200%: sideways', enlargedOverflow.sideways)
  reportFault('type 200%: cut', enlargedOverflow.cut)
  await Promise.all([resize(session, sizes.narrow), setTextSpacing(page, true)])
  try {
    const { sideways, cut } = await findFaults(page, { width: sizes.narrow.width })
    reportFault('text set apart: sideways', sideways)
    reportFault('text set apart: cut', cut)
  } finally {
    // One that fails is not seen on the screens that follow.
    await setTextSpacing(page, false)
  }
}

/** So long a screen may take for all that is looked at, ms: one that never answers hides nothing of the others. */
const maxLookMs = 90_000

/** What is wrong with the looks themselves: one that failed, or was not over in time, by its name. */
async function runLooks(looks: Record<string, () => Promise<void>>): Promise<string | null> {
  let currentLook = ''
  const runAll = async () => {
    for (const [name, look] of Object.entries(looks)) {
      currentLook = name
      await look()
    }
    return null
  }
  const timeout = new Promise<string>((resolve) =>
    setTimeout(() => resolve(`not over in ${maxLookMs} ms`), maxLookMs).unref(),
  )
  const problem = await Promise.race([runAll().catch(String), timeout])
  return problem && `${currentLook}: ${problem}`
}

/** Goes through the screens in one page, a round for each language. What is wrong, by screen and kind: nothing is what is wanted. */
async function sweep(context: BrowserContext, url: string, screens: readonly Screen[]) {
  const walk = await openWalk(context, url)
  const { page } = walk
  const faults: Record<string, unknown> = {}
  const titles: ScreenTitle[] = []
  for (const [round, { lang, colorScheme }] of rounds.entries()) {
    const roundScreens = selectScreens(screens, round)
    if (!roundScreens[0]) continue
    await page.emulateMedia({ colorScheme })
    await walk.begin(lang, roundScreens[0])
    for (const [index, screen] of roundScreens.entries()) {
      const reportFault: ReportFault = (faultName, details) => {
        if (details.length > 0) faults[`${screen.name}, ${lang}, ${faultName}`] = details
      }
      // One that does not come hides nothing of the others.
      const problem = await runLooks({
        show: () => walk.show(screen),
        ...(isForAxe(index) && {
          axe: async () => reportFault(`${colorScheme}: axe`, await findSeriousViolations(page, screen.dialogSelector)),
        }),
        ...(isNight && { enlarged: () => lookEnlarged(walk, reportFault) }),
        sizes: () => lookInEachSize(walk, screen, reportFault),
        title: async () => void titles.push({ screen, title: await page.title() }),
      })
      if (problem) reportFault('was not seen', [problem])
    }
    expect(
      await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']]),
    ).toEqual([languageTags[lang], colorScheme])
  }
  return { faults, titles }
}

/** Nothing wrong on these screens, for somebody of the demo world or a stranger. Answers with their titles. */
export async function expectCleanSweep(setup: TestSetup, user: SweptUser, screens: readonly Screen[]) {
  const context = await openSweep(setup, user)
  const offences = watchOffences(context, setup.fixture.portal.url)
  const { faults, titles } = await sweep(context, setup.fixture.portal.url, screens)
  expect(faults).toEqual({})
  expect(offences).toEqual([])
  return titles
}
