/**
 * Takes the pictures that the manifest and the README show, from the demo world on data of its own. The results are
 * committed, so this is run by hand after the screens have changed.
 *
 *   npm run pictures
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openBrowser, type Portal, signIn, startPortal } from '#tests/support/browser.ts'

const root = join(import.meta.dirname, '..')
const screenshots = join(root, 'public', 'screenshots')
const pictures = join(root, 'docs', 'pictures')

const forms = {
  wide: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1, hasTouch: false },
  narrow: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true },
}
const languages = ['en', 'zh'] as const

async function take(browser: Browser, portal: Portal, form: keyof typeof forms, language: (typeof languages)[number]) {
  const context = await browser.newContext({ ...forms[form], colorScheme: 'light', reducedMotion: 'reduce' })
  await context.addInitScript((chosen) => localStorage.setItem('portal.language', chosen), language)
  const page = await context.newPage()
  await signIn(page, portal, 'admin', '/app/user')
  await page.goto(`${portal.url}/saas/app/user`, { waitUntil: 'networkidle' })
  await page.getByText('ada.wong@acme.example').filter({ visible: true }).first().waitFor()
  await page.screenshot({ path: join(screenshots, `${form}-${language}.png`) })
  await context.close()
}

mkdirSync(screenshots, { recursive: true })
mkdirSync(pictures, { recursive: true })
const portal = await startPortal()
const browser = await openBrowser()
try {
  for (const form of ['wide', 'narrow'] as const) {
    for (const language of languages) await take(browser, portal, form, language)
  }
  copyFileSync(join(screenshots, 'wide-en.png'), join(pictures, 'users.png'))
} finally {
  await browser.close()
  await portal.close()
}
