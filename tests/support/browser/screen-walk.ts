/**
 * Goes through screens in one page, as links do: the app is loaded once for each language, and the page changes its size under
 * them. For the sweep, and for who takes pictures.
 */
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import type { Screen } from '#tests/support/browser/screens.ts'
import { listOrders } from '#tests/support/pages/wizard.ts'

export interface ScreenSize {
  width: number
  height: number
  /** Fingers point at it. */
  isTouched: boolean
  isMobile: boolean
}

export const sizes = {
  desktop: { width: 1280, height: 800, isTouched: false, isMobile: false },
  tablet: { width: 1024, height: 768, isTouched: true, isMobile: false },
  phone: { width: 390, height: 844, isTouched: true, isMobile: true },
  /** The narrowest that is still meant: a desk at 400 % (WCAG 1.4.10). */
  narrow: { width: 320, height: 700, isTouched: true, isMobile: true },
} as const satisfies Record<string, ScreenSize>

/** A context whose pages have the size that `resize` says, and stand still. */
export const stillContextOptions = { viewport: null, reducedMotion: 'reduce', serviceWorkers: 'block' } as const

/** What each page shows itself as. */
const currentSizes = new WeakMap<CDPSession, ScreenSize>()

/** As another device shows the page that is open. */
export async function resize(session: CDPSession, size: ScreenSize): Promise<void> {
  // A page is laid out anew for what changes nothing, too.
  if (currentSizes.get(session) === size) return
  currentSizes.set(session, size)
  const { width, height, isTouched, isMobile } = size
  const metrics = { width, height, screenWidth: width, screenHeight: height, deviceScaleFactor: 1, mobile: isMobile }
  await Promise.all([
    session.send('Emulation.setDeviceMetricsOverride', metrics),
    session.send('Emulation.setTouchEmulationEnabled', { enabled: isTouched, maxTouchPoints: 1 }),
  ])
}

/** Goes there as a link does, without loading the page; what was opened on the screen before is gone. */
async function move(page: Page, path: string) {
  await page.evaluate((path) => {
    for (const title of document.querySelectorAll('main h1')) title.setAttribute('data-left', '')
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/saas${path}`)
  await page.locator('main h1:not([data-left])').first().waitFor()
}

/** In the same frame. */
const getNeutralPath = (path: string) => (path.startsWith('/app/') ? '/app/nowhere' : '/nowhere')
const removeQuery = (path: string) => path.replace(/\?.*/, '')

export interface ScreenWalk {
  page: Page
  session: CDPSession
  /** Loads the app at a desk, in that language, which is the address's to say: an account's own stays. */
  begin: (lang: 'en' | 'zh', from: Screen) => Promise<void>
  /** At a desk, where it is there, when the screen stands and what is done on it was done. */
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
    // Between two addresses of one page it would stay as it is.
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
