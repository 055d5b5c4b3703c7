/**
 * Takes the pictures of the manifest and the README, from the demo data with some additions. The results are committed, so run it by hand
 * after pages have changed.
 * npm run pictures npm run pictures -- --all [folder]: every page in each size, language and theme, for review. The default folder is
 * data/pictures.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { losslessCompressPng, pngQuantize } from '@napi-rs/image'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, type people, type Portal, signIn, startPortal } from '#tests/support/browser/browser.ts'
import { resize, sizes, stillContextOptions, type ScreenWalk, openWalk } from '#tests/support/browser/screen-walk.ts'
import {
  adminScreens,
  appScreens,
  type Screen,
  serviceScreens,
  staffScreens,
  userScreens,
  visitorScreens,
} from '#tests/support/browser/screens.ts'

const root = join(import.meta.dirname, '..')
const screenshotsFolder = join(root, 'public', 'screenshots')
const picturesFolder = join(root, 'docs', 'pictures')

const screenFormats = {
  wide: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1, hasTouch: false },
  narrow: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true },
}

interface Picture {
  folder: string
  name: string
  path: string
  language: 'en' | 'zh'
  form?: keyof typeof screenFormats
  colorScheme?: 'light' | 'dark'
  /** Account to sign in with. Absent for a visitor. */
  account?: keyof typeof people
  ready: (page: Page) => Promise<unknown>
}

const waitForUsers = (page: Page) => page.getByText('ada.wong@acme.example').filter({ visible: true }).first().waitFor()
const users = { path: '/saas/app/user', account: 'admin', ready: waitForUsers } as const
const welcome = { path: '/index.html', ready: (page: Page) => page.locator('.story').waitFor() }
const company = {
  path: '/saas/app/profile/company',
  account: 'admin',
  ready: (page: Page) => page.locator('main input[name="name"]').waitFor(),
} as const
const docsPicture = { folder: picturesFolder, language: 'en' } as const

const allPictures: Picture[] = [
  ...(['wide', 'narrow'] as const).flatMap((form) =>
    (['en', 'zh'] as const).map((language) => ({
      ...users,
      folder: screenshotsFolder,
      name: `${form}-${language}`,
      form,
      language,
    })),
  ),
  { ...docsPicture, ...users, name: 'users' },
  { ...docsPicture, ...welcome, name: 'home' },
  { ...docsPicture, ...welcome, name: 'home-zh', language: 'zh', colorScheme: 'dark' },
  { ...docsPicture, name: 'sign-up', path: '/saas/signup', ready: fillSignUp },
  {
    ...docsPicture,
    name: 'entrance-zh',
    language: 'zh',
    path: '/saas/entrance?code=acmetrade',
    ready: (page) => page.locator('.entrance-found').waitFor(),
  },
  {
    ...docsPicture,
    name: 'profile',
    path: '/saas/app/profile/user',
    account: 'admin',
    ready: (page) => page.locator('.profile-name').waitFor(),
  },
  { ...docsPicture, ...company, name: 'company' },
  {
    ...docsPicture,
    name: 'contracts',
    path: '/saas/app/contract',
    account: 'admin',
    ready: (page) => page.locator('main tbody tr').nth(4).waitFor(),
  },
  { ...docsPicture, name: 'order', path: '/saas/app/contract/new', account: 'admin', ready: fillOrder },
  {
    ...docsPicture,
    name: 'contract-zh',
    language: 'zh',
    colorScheme: 'dark',
    path: '/saas/app/contract',
    account: 'admin',
    ready: openContract,
  },
]

/** Opens the second step and types values, so that the picture shows the form in use. */
async function fillSignUp(page: Page) {
  const fill = async (values: Record<string, string>) => {
    for (const [name, value] of Object.entries(values)) await page.locator(`input[name="${name}"]`).fill(value)
  }
  await fill({ code: 'nova', name: 'Nova Logistics Limited' })
  await page.locator('select[name="country"]').selectOption('HK')
  await fill({ number: '21104400' })
  await page.locator('main form button[type="submit"]').click()
  await page.locator('input[name="user_name"]').waitFor()
  await page.locator('select[name="user_title"]').selectOption('1')
  await fill({
    user_name: 'Ana Chan',
    user_email: 'ana.chan@nova.example',
    user_password: 'Slow-river-under-9-bridges',
  })
}

/** Selects some of the modules, so that the price is shown too. */
async function fillOrder(page: Page) {
  await page.locator('input[name="code"]').fill('acmeport')
  await page.locator('input[name="name"]').fill('Acme port office')
  await page.locator('main form button.primary').click()
  const module = (code: string) => page.locator('main label', { hasText: code }).first()
  for (const code of ['core', 'doc', 'hr']) await module(code).click()
}

async function openContract(page: Page) {
  await page.locator('main tbody tr', { hasText: 'acmetrade' }).locator('td').nth(1).click()
  await page.locator('main table').first().waitFor()
}

/** A page has few colours. A palette needs a third of the bytes without a visible difference. */
async function compressPng(png: Buffer): Promise<Buffer> {
  const quantized = await pngQuantize(png, { minQuality: 85, maxQuality: 99, speed: 1 })
  return losslessCompressPng(quantized)
}

async function takePicture(browser: Browser, portal: Portal, picture: Picture) {
  const { folder, name, path, language, form = 'wide', colorScheme = 'light', account, ready } = picture
  const context = await browser.newContext({ ...screenFormats[form], colorScheme, reducedMotion: 'reduce' })
  await context.addInitScript((value) => localStorage.setItem('portal.language', value), language)
  const page = await context.newPage()
  if (account) await signIn(page, portal, account, path.replace('/saas', ''))
  await page.goto(portal.url + path, { waitUntil: 'networkidle' })
  await ready(page)
  // A blinking cursor or a hint that fades in would change the picture each time.
  await page.waitForTimeout(600)
  const file = await compressPng(await page.screenshot({ caret: 'hide' }))
  writeFileSync(join(folder, `${name}.png`), file)
  console.log(`${name}: ${Math.round(file.length / 1024)} kB`)
  await context.close()
}

const screensByAccount: [accountName: keyof typeof people | null, screens: Screen[]][] = [
  [null, visitorScreens],
  ['admin', adminScreens],
  ['user', userScreens],
  ['staff', [...serviceScreens, ...appScreens, ...staffScreens]],
]

/** Runs in the page. Resolves two frames later, when changes are rendered. Nothing fades, because the browser emulates reduced motion. */
const waitForFrames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))

async function takeInAllSizes(
  { page, session }: ScreenWalk,
  { name, onlySize: only }: Screen,
  lang: string,
  folder: string,
) {
  for (const size of only ? [only] : (['desktop', 'tablet', 'phone'] as const)) {
    await resize(session, sizes[size])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.evaluate(waitForFrames)
      const { data } = await session.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true })
      writeFileSync(join(folder, `${name}-${size}-${lang}-${colorScheme}.png`), Buffer.from(data, 'base64'))
    }
  }
}

/** Takes the pictures of all pages. A page that fails is reported, and the others are still taken. */
async function takeAll(browser: Browser, portal: Portal, folder: string) {
  for (const [account, screens] of screensByAccount) {
    const context = await browser.newContext(stillContextOptions)
    context.setDefaultTimeout(20_000)
    if (account) await signIn(await context.newPage(), portal, account)
    const walk = await openWalk(context, portal.url)
    for (const lang of ['en', 'zh'] as const) {
      const [first] = screens
      if (first) await walk.begin(lang, first)
      for (const screen of screens) {
        const pictures = walk.show(screen).then(() => takeInAllSizes(walk, screen, lang, folder))
        await pictures.catch((problem) => console.log(`${screen.name}, ${lang}: ${String(problem).split('\n')[0]}`))
      }
    }
    console.log(`${account ?? 'visitors'}: ${screens.length} screens`)
    await context.close()
  }
}

const [mode, folderArgument] = process.argv.slice(2)
const folder = folderArgument ?? join(root, 'data', 'pictures')
for (const path of mode === '--all' ? [folder] : [screenshotsFolder, picturesFolder])
  mkdirSync(path, { recursive: true })
const portal = await startPortal()
const browser = await openBrowser()
try {
  if (mode === '--all') await takeAll(browser, portal, folder)
  else for (const picture of allPictures) await takePicture(browser, portal, picture)
} finally {
  await browser.close()
  await portal.close()
}
