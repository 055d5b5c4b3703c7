/** Shows the screens of visitors, of an admin, of an ordinary user and of staff in Chromium, one after the other, for judges of pages. */
import { chromium, type Page } from 'playwright-core'
import type { JudgePortal } from '#tests/campaigns/judges/portal.ts'
import { findChromiumPath, flags, signIn } from '#tests/support/browser/browser.ts'
import { openWalk, stillContextOptions } from '#tests/support/browser/screen-walk.ts'
import {
  adminScreens,
  appScreens,
  type Screen,
  staffScreens,
  userScreens,
  visitorScreens,
} from '#tests/support/browser/screens.ts'

const groups = [
  { user: null, screens: visitorScreens },
  { user: 'admin', screens: adminScreens },
  { user: 'user', screens: userScreens },
  { user: 'staff', screens: [...appScreens, ...staffScreens] },
] as const

/** Calls `onScreen` with each screen in desktop size. Returns how many could be shown, and the names of those that could not. */
export async function visitScreens(
  portal: JudgePortal,
  languages: readonly ('en' | 'zh')[],
  onScreen: (page: Page, screen: Screen) => Promise<void>,
): Promise<{ shownCount: number; missingScreens: string[] }> {
  const browser = await chromium.launch({
    executablePath: findChromiumPath(),
    args: [...flags, '--ignore-certificate-errors'],
  })
  let shownCount = 0
  const missingScreens: string[] = []
  try {
    for (const { user, screens } of groups) {
      const context = await browser.newContext({ ...stillContextOptions, ignoreHTTPSErrors: true })
      context.setDefaultTimeout(20_000)
      if (user !== null) {
        const page = await context.newPage()
        await signIn(page, portal, user)
        await page.close()
      }
      const walk = await openWalk(context, portal.url)
      for (const language of languages) {
        let isLoaded = false
        for (const screen of screens) {
          try {
            if (!isLoaded) await walk.begin(language, screen)
            isLoaded = true
            await walk.show(screen)
          } catch {
            isLoaded = false
            missingScreens.push(`${screen.name} ${language}`)
            continue
          }
          await onScreen(walk.page, screen)
          shownCount++
        }
      }
      await context.close()
    }
  } finally {
    await browser.close()
  }
  return { shownCount, missingScreens }
}
