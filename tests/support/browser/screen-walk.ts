/**
 * Visits screens within one page, by following links. The app is loaded once per language, and the page is resized. Used by the sweep and
 * for screenshots.
 */
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Screen } from '#tests/support/browser/screens.ts'
import { listOrders } from '#tests/support/pages/wizard.ts'

export interface ScreenSize {
  width: number
  height: number
  /** True if the pointer type is touch. */
  isTouched: boolean
  isMobile: boolean
}

export const sizes = {
  desktop: { width: 1280, height: 800, isTouched: false, isMobile: false },
  tablet: { width: 1024, height: 768, isTouched: true, isMobile: false },
  phone: { width: 390, height: 844, isTouched: true, isMobile: true },
  /** The narrowest supported width, which a desktop has at 400 % zoom (WCAG 1.4.10). */
  narrow: { width: 320, height: 700, isTouched: true, isMobile: true },
} as const satisfies Record<string, ScreenSize>

/** Options of a browser context without motion and without a fixed viewport, so that `resize` sets its size. */
export const stillContextOptions = { viewport: null, reducedMotion: 'reduce', serviceWorkers: 'block' } as const

const currentSizes = new WeakMap<CDPSession, ScreenSize>()

export async function resize(session: CDPSession, size: ScreenSize): Promise<void> {
  // Setting the same size would still cause a new layout.
  if (currentSizes.get(session) === size) return
  currentSizes.set(session, size)
  const { width, height, isTouched, isMobile } = size
  const metrics = { width, height, screenWidth: width, screenHeight: height, deviceScaleFactor: 1, mobile: isMobile }
  await Promise.all([
    session.send('Emulation.setDeviceMetricsOverride', metrics),
    session.send('Emulation.setTouchEmulationEnabled', { enabled: isTouched, maxTouchPoints: 1 }),
  ])
}

/** Navigates like a link, without a page load. The state of the previous screen is discarded. */
async function move(page: Page, path: string) {
  await page.evaluate((path) => {
    for (const title of document.querySelectorAll('main h1')) title.setAttribute('data-left', '')
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/saas${path}`)
  await page.locator('main h1:not([data-left])').first().waitFor()
}

/** Returns an address of no page in the same layout. */
const getNeutralPath = (path: string) => (path.startsWith('/app/') ? '/app/nowhere' : '/nowhere')
const removeQuery = (path: string) => path.replace(/\?.*/, '')

export interface ScreenWalk {
  page: Page
  session: CDPSession
  /**
   * Loads the app in desktop size and in that language. The language is set by the address, so that the account's setting stays unchanged.
   */
  begin: (lang: 'en' | 'zh', from: Screen) => Promise<void>
  /** Opens the screen in desktop size if it exists there, waits until it is rendered, and prepares it. */
  show: (screen: Screen) => Promise<void>
}

export async function openWalk(context: BrowserContext, url: string): Promise<ScreenWalk> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const ids = new Map<string, number>()
  let previousPath = ''

  async function begin(lang: 'en' | 'zh', { path }: Screen) {
    await resize(session, sizes.desktop)
    await page.goto(`${url}/saas${getNeutralPath(path)}?lang=${lang}`)
    await page.locator('main h1').first().waitFor()
    previousPath = ''
  }

  async function show({ path, readySelector = 'main h1', prepare, onlySize }: Screen) {
    await resize(session, sizes[onlySize ?? 'desktop'])
    const [, code] = /:(\w+)/.exec(path) ?? []
    if (code && !ids.has(code)) ids.set(code, (await listOrders(page, code))[0]?.id ?? 0)
    // Visits another address first, because between two addresses of the same page the state of the page would be kept.
    if (removeQuery(path) === previousPath) await move(page, getNeutralPath(path))
    previousPath = removeQuery(path)
    await move(
      page,
      path.replace(/:\w+/, () => String(ids.get(code ?? ''))),
    )
    await page.locator(readySelector).first().waitFor()
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
    await prepare?.(page)
  }

  return { page, session, begin, show }
}
