/**
 * One look at each of many screens in every size and language: nothing scrolls sideways, no text is cut or missing; at a desk axe,
 * light in English and dark in Chinese, and twice the size of type. A language's round loads the app once.
 */
import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'
import { languageTags } from '#app/i18n/language.ts'
import { seriousTrouble, signIn } from '#tests/support/browser.ts'
import { fit, fitTwice } from '#tests/support/looks.ts'
import { missingTexts } from '#tests/support/missing-texts.ts'
import { desk, phone, type SetUp, tablet } from '#tests/support/visit.ts'
import { ordersOf } from '#tests/support/wizard.ts'

export interface Screen {
  /** `:code` stands for the number of the company's order of that code. */
  path: string
  /** Stands when the screen does; else its heading. */
  shows?: string
  /** What is done on it before it is looked at. */
  act?: (page: Page) => Promise<unknown>
  /** A menu or bar that it lays over rows: axe looks at it alone, because it finds what is half covered too small to be pressed. */
  over?: string
}

const sizes = { phone, tablet, desk }

/** For all screens of a test, on a busy machine too, ms. */
export const patience = 600_000

/** A browser of its own that stands still. Its size is `resize`'s to choose. */
export async function openSweep({ the, ends }: SetUp, who: 'admin' | 'staff' | null): Promise<BrowserContext> {
  const still = { viewport: null, reducedMotion: 'reduce', serviceWorkers: 'block' } as const
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

/** The device that each page shows itself as. */
const shownAs = new WeakMap<CDPSession, BrowserContextOptions>()

/** As another device shows the page that is open: its size, and whether fingers point at it. */
async function resize(session: CDPSession, device: BrowserContextOptions) {
  // A page is laid out anew for what changes nothing, too.
  if (shownAs.get(session) === device) return
  shownAs.set(session, device)
  const { viewport, hasTouch = false, isMobile = false } = device
  const { width, height } = viewport ?? { width: 0, height: 0 }
  const metrics = { width, height, screenWidth: width, screenHeight: height, deviceScaleFactor: 1, mobile: isMobile }
  await Promise.all([
    session.send('Emulation.setDeviceMetricsOverride', metrics),
    session.send('Emulation.setTouchEmulationEnabled', { enabled: hasTouch, maxTouchPoints: 1 }),
  ])
}

/** Each look at all screens; the second theme changes colours alone. */
const rounds = [
  { lang: 'en', colorScheme: 'light', rules: undefined },
  { lang: 'zh', colorScheme: 'dark', rules: ['color-contrast', 'link-in-text-block'] },
] as const

/** Goes there as a link does, without loading the page; what was opened on the screen before is gone. */
async function move(page: Page, path: string) {
  await page.evaluate((to) => {
    for (const title of document.querySelectorAll('main h1')) title.setAttribute('data-left', '')
    history.pushState(null, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/saas${path}`)
  await page.locator('main h1:not([data-left])').first().waitFor()
}

/** Waits until the page has that width, and its scripts two frames to place what they place. */
const drawnAt = (page: Page, width = 0): Promise<unknown> =>
  page.evaluate(
    (wanted) =>
      new Promise<void>((done) => {
        const look = () => {
          if (document.documentElement.clientWidth !== wanted) requestAnimationFrame(look)
          else requestAnimationFrame(() => requestAnimationFrame(() => done()))
        }
        look()
      }),
    width,
  )

/** In the same frame. */
const awayFrom = (path: string) => (path.startsWith('/app/') ? '/app/nowhere' : '/nowhere')
const pathnameOf = (path: string) => path.replace(/\?.*/, '')

export interface Swept {
  /** What is wrong, by screen and kind: nothing is what is wanted. */
  found: Record<string, unknown>
  titles: string[]
}

/** Goes through the screens in one page, once in each language, which is the address's to say: an account's own stays. */
export async function sweep(context: BrowserContext, url: string, screens: readonly Screen[]): Promise<Swept> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const found: Record<string, unknown> = {}
  const titles = new Set<string>()
  const ids = new Map<string, number>()
  for (const { lang, colorScheme, rules } of rounds) {
    await page.emulateMedia({ colorScheme })
    await resize(session, desk)
    await page.goto(`${url}/saas${awayFrom(screens[0]?.path ?? '')}?lang=${lang}`)
    await page.locator('main h1').first().waitFor()
    let before = ''
    for (const { path, shows = 'main h1', act, over } of screens) {
      const [, code] = /:(\w+)/.exec(path) ?? []
      if (code && !ids.has(code)) ids.set(code, (await ordersOf(page, code))[0]?.id ?? 0)
      const note = (what: string, wrong: readonly unknown[]) => {
        if (wrong.length > 0) found[`${path}${act ? ', after an act' : ''}, ${lang}, ${what}`] = wrong
      }
      // Between two addresses of one page it would stay as it is.
      if (pathnameOf(path) === before) await move(page, awayFrom(path))
      before = pathnameOf(path)
      await move(
        page,
        path.replace(/:\w+/, () => String(ids.get(code ?? ''))),
      )
      await page.locator(shows).first().waitFor()
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      await act?.(page)
      note(`${colorScheme}: axe`, await seriousTrouble(page, rules && [...rules], over))
      if (lang === 'en') {
        const twice = await fitTwice(page)
        note('type 200%: sideways', twice.sideways)
        note('type 200%: cut', twice.cut)
      }
      for (const size of ['desk', 'tablet', 'phone'] as const) {
        await resize(session, sizes[size])
        const width = sizes[size].viewport?.width
        await drawnAt(page, width)
        const [{ sideways, cut }, missing] = await Promise.all([fit(page), missingTexts(page)])
        note(`${size}: sideways`, sideways)
        note(`${size}: cut`, cut)
        note(`${size}: missing`, missing)
      }
      titles.add(await page.title())
      await resize(session, desk)
    }
    expect(
      await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']]),
    ).toEqual([languageTags[lang], colorScheme])
  }
  return { found, titles: [...titles] }
}

/** Sends the form that is open, empty, and waits until it says what is missing. */
export async function refused(page: Page): Promise<void> {
  await page.locator('main button[type=submit], [role=dialog] button[type=submit]').last().click()
  await page.locator('.field-error').first().waitFor()
}

/** Presses the first `button` and waits for what it opens. */
export const opened = (button: string, shows: string) => async (page: Page) => {
  await page.locator(button).first().click()
  await page.locator(shows).first().waitFor()
}

/** Nothing wrong on these screens, for somebody of the demo world or a stranger. */
export async function expectSwept(setup: SetUp, who: 'admin' | 'staff' | null, screens: readonly Screen[]) {
  const context = await openSweep(setup, who)
  const offences = offencesOf(context, setup.the.portal.url)
  const { found, titles } = await sweep(context, setup.the.portal.url, screens)
  expect(found).toEqual({})
  expect(offences).toEqual([])
  return titles
}
