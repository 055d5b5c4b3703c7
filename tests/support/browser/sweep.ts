/**
 * Checks many screens once. On desktop and phone nothing scrolls sideways, no text is clipped or missing, controls are large enough for
 * touch or mouse, headings with one `h1` are in order, and landmarks have different names. Axe checks every third screen of a round.
 * Screens alternate between light English and dark Chinese. In nightly runs (`nightly.ts`) every screen is checked in both languages, on a
 * tablet, by axe, at double font size, and with increased text spacing on a narrow phone. The app is loaded once per language.
 */
import type { BrowserContext } from 'playwright-core'
import { expect } from 'vitest'
import { languageTags } from '#app/i18n/language.ts'
import { findViolations, signIn } from '#tests/support/browser/browser.ts'
import { findEnlargedOverflow } from '#tests/support/browser/looks.ts'
import { findMissingTexts } from '#tests/support/browser/missing-texts.ts'
import { limitByDay, isNight } from '#tests/support/runner/nightly.ts'
import { findFaults, setTextSpacing, targets } from '#tests/support/browser/screen-faults.ts'
import { resize, sizes, stillContextOptions, type ScreenWalk, openWalk } from '#tests/support/browser/screen-walk.ts'
import type { Screen } from '#tests/support/browser/screens.ts'
import type { TestSetup } from '#tests/support/browser/browser-setup.ts'

/** Maximum time in ms for all screens of a test, even on a busy machine. */
export const sweepTimeoutMs = 600_000

type SweptUser = 'admin' | 'user' | 'staff' | null

/** Opens a separate browser context without motion. `resize` sets its size. */
export async function openSweep({ fixture, cleanups }: TestSetup, user: SweptUser): Promise<BrowserContext> {
  const context = await fixture.browser.newContext(stillContextOptions)
  cleanups.push(() => context.close())
  if (!user) return context
  const page = await context.newPage()
  await signIn(page, fixture.portal, user)
  await page.close()
  return context
}

/** Collects policy violations and requests to hosts other than the host of `url`, from now on. */
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

const selectScreens = (screens: readonly Screen[], round: number) =>
  isNight ? screens : screens.filter((_, index) => index % rounds.length === round)

const isForAxe = (index: number) => isNight || index % 3 === 0

const sizeNames = limitByDay(['desktop', 'phone', 'tablet'] as const, 2)

export interface ScreenTitle {
  screen: Screen
  title: string
}

type ReportFault = (faultName: string, details: readonly unknown[]) => void

/** Checks the screen in each size. A screen that exists in one size only is checked in that size. */
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

/** Checks double font size on a desktop and increased text spacing in the narrowest size. */
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
    // The spacing is reset even after a failure, so that later screens are not affected.
    await setTextSpacing(page, false)
  }
}

/** Maximum time for all checks of a screen, ms. A screen that hangs does not stop the others. */
const maxLookMs = 90_000

/** Runs the checks. Returns the name of the check that failed or timed out, or null. */
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

/** Visits the screens in one page, one round per language. Returns the faults by screen and kind. */
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
      // A screen that fails to open does not stop the others.
      const problem = await runLooks({
        show: () => walk.show(screen),
        ...(isForAxe(index) && {
          axe: async () => reportFault(`${colorScheme}: axe`, await findViolations(page, screen.dialogSelector)),
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

/** Checks these screens as a demo user or a visitor and expects no faults. Returns their titles. */
export async function expectCleanSweep(setup: TestSetup, user: SweptUser, screens: readonly Screen[]) {
  const context = await openSweep(setup, user)
  const offences = watchOffences(context, setup.fixture.portal.url)
  const { faults, titles } = await sweep(context, setup.fixture.portal.url, screens)
  expect(faults).toEqual({})
  expect(offences).toEqual([])
  return titles
}
