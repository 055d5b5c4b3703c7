/**
 * Nothing moves by itself while a page loads: the cumulative layout shift of every screen is below 0.02, with and without cached data, on a
 * slow network and offline, in different sizes and both languages (decision 119).
 */
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { expect, it } from 'vitest'
import { signIn } from '#tests/support/browser/browser.ts'
import { desktop, phone, setUpShared, tablet } from '#tests/support/browser/browser-setup.ts'
import { clearCachedData, observeLayoutShift, readLayoutShift } from '#tests/support/browser/layout-shift.ts'
import {
  adminScreens,
  appScreens,
  type Screen,
  serviceScreens,
  staffScreens,
  visitorScreens,
} from '#tests/support/browser/screens.ts'
import { openSlowProxy } from '#tests/support/network/slow-proxy.ts'
import { listOrders } from '#tests/support/pages/wizard.ts'

const setup = setUpShared()

const maxScore = 0.02
const timeoutMs = 1_800_000

const portrait: BrowserContextOptions = { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true }

/**
 * `warm`: the device has visited the page before. `cold`: it has only the session. `slow`: as `cold`, on a slow network. `offline`: as
 * `warm`, without a network.
 */
type Mode = 'warm' | 'cold' | 'slow' | 'offline'

const rounds: { mode: Mode; lang: 'en' | 'zh'; size: BrowserContextOptions; sizeName: string }[] = [
  { mode: 'warm', lang: 'en', size: desktop, sizeName: 'desktop' },
  { mode: 'warm', lang: 'zh', size: phone, sizeName: 'phone' },
  { mode: 'cold', lang: 'en', size: phone, sizeName: 'phone' },
  { mode: 'cold', lang: 'zh', size: portrait, sizeName: 'portrait tablet' },
  { mode: 'slow', lang: 'en', size: phone, sizeName: 'phone' },
  { mode: 'slow', lang: 'zh', size: tablet, sizeName: 'tablet' },
  { mode: 'offline', lang: 'en', size: portrait, sizeName: 'portrait tablet' },
  { mode: 'offline', lang: 'zh', size: phone, sizeName: 'phone' },
]

const usersWithScreens = {
  visitor: visitorScreens,
  admin: adminScreens,
  staff: [...staffScreens, ...serviceScreens, ...appScreens],
} as const

/** Replaces the code of an order by its id. */
async function completePaths(context: BrowserContext, screens: readonly Screen[]): Promise<Map<Screen, string>> {
  const [page] = context.pages()
  const paths = new Map<Screen, string>()
  for (const screen of screens) {
    const [, code] = /:(\w+)/.exec(screen.path) ?? []
    const id = code && page ? ((await listOrders(page, code))[0]?.id ?? 0) : 0
    paths.set(screen, screen.path.replace(/:\w+/, String(id)))
  }
  return paths
}

for (const { mode, lang, size, sizeName } of rounds)
  for (const [user, allScreens] of Object.entries(usersWithScreens)) {
    // A visitor's pages store nothing on the device.
    if (user === 'visitor' && mode !== 'slow' && mode !== 'cold') continue
    it(
      `No screen of ${user} moves while it loads: ${mode}, ${sizeName}, ${lang}`,
      async () => {
        const { browser, portal } = setup.fixture
        const proxy = await openSlowProxy(Number(new URL(portal.url).port))
        setup.cleanups.push(() => proxy.close())
        const url = `http://localhost:${proxy.port}`
        const screens = allScreens.filter(({ prepare, onlySize }) => !prepare && !onlySize)
        const isNewDevice = mode === 'cold' || mode === 'slow'
        const context = await browser.newContext({
          ...size,
          locale: lang === 'zh' ? 'zh-CN' : 'en-GB',
          // A worker would have the files of all pages.
          serviceWorkers: isNewDevice ? 'block' : 'allow',
        })
        setup.cleanups.push(() => context.close())
        await observeLayoutShift(context)
        const firstPage = await context.newPage()
        if (user === 'visitor') await firstPage.goto(`${url}/saas/login?lang=${lang}`)
        else await signIn(firstPage, { url }, user === 'admin' ? 'admin' : 'staff', `/app/outbox?lang=${lang}`)
        const paths = await completePaths(context, screens)
        const open = async (screen: Screen) => {
          const page = await context.newPage()
          if (isNewDevice) {
            await page.goto(`${url}/health/live`)
            if (user !== 'visitor') await clearCachedData(page)
            const session = await context.newCDPSession(page)
            await session.send('Network.setCacheDisabled', { cacheDisabled: true })
          }
          await page.goto(`${url}/saas${paths.get(screen)}`)
          const { score, sources } = await readLayoutShift(page)
          const address = new URL(page.url()).pathname
          await page.close()
          expect(address).toMatch(user === 'visitor' ? /^/ : /^\/saas\/app/)
          return score < maxScore ? [] : [{ screen: screen.name, score: score.toFixed(3), sources }]
        }
        if (!isNewDevice) for (const screen of screens) await open(screen)
        if (mode === 'offline') await context.setOffline(true)
        proxy.setSlow(mode === 'slow')
        const faults: unknown[] = []
        for (const screen of screens) faults.push(...(await open(screen)))
        expect(faults).toEqual([])
      },
      timeoutMs,
    )
  }
