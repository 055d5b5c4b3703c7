/** Tests the public pages, which visitors see first (M7, M9, M14). */
import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { tabThrough } from '#tests/support/browser/looks.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { getAddress, waitForController, desktop, setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture, cleanups } = setUpShared()

/** Opens a page without a worker by default, because a worker would download the whole app during the test. */
async function open(options: BrowserContextOptions = { serviceWorkers: 'block' }) {
  const context = await fixture.browser.newContext({ ...desktop, reducedMotion: 'reduce', ...options })
  cleanups.push(() => context.close())
  return context.newPage()
}

async function openPath(path: string, options?: BrowserContextOptions) {
  const page = await open(options)
  await page.goto(`${fixture.portal.url}${path}`)
  return page
}

const policies = ['/acceptable-use.html', '/api-policy.html', '/terms.html', '/privacy.html']

describe('the home page (M7)', () => {
  it('loads four small files from its own origin only, in either language (P-28, P-33)', async () => {
    const page = await open()
    const loadedFiles: Promise<{ url: string; bytes: number }>[] = []
    page.on('requestfinished', (request) =>
      loadedFiles.push(
        request.sizes().then(({ responseBodySize }) => ({ url: request.url(), bytes: responseBodySize })),
      ),
    )
    await page.goto(`${fixture.portal.url}/index.html`, { waitUntil: 'networkidle' })
    const files = await Promise.all(loadedFiles)
    expect(files.filter(({ url }) => !url.startsWith(fixture.portal.url))).toEqual([])
    expect(files.length).toBeLessThanOrEqual(5)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    expect(bytes).toBeLessThan(16_000)
  })

  it('links to the sign-up, the login, the entrance and the policies (M8, M9, M14)', async () => {
    const page = await openPath('/index.html')
    const links = await page
      .locator('main a, header a, footer a')
      .evaluateAll((all) => all.map((element) => element.getAttribute('href')))
    for (const link of ['/saas/signup', '/saas/login', ...policies]) expect(links).toContain(link)
    await page.getByLabel('Go to your system: enter its service code').fill('acmetrade')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === '/saas/entrance')
    // The visitor does not have to enter the code again.
    await page.getByRole('heading', { name: 'Service acmetrade' }).waitFor()
    await page.getByRole('link', { name: 'Go to the admin site' }).waitFor()
  })

  nightly('works by keyboard only, with visible focus and arrow keys for the slides (A-02, A-04)', async () => {
    const page = await openPath('/index.html')
    const { stops, ringless } = await tabThrough(page)
    expect(ringless).toEqual([])
    expect(stops.slice(0, 2)).toEqual(['Skip to the text跳到正文', 'Service portal服务门户'])
    expect(stops).toEqual(expect.arrayContaining(['code', 'off']))

    const readCaption = () => page.locator('figcaption').innerText()
    expect(await readCaption()).toContain('saved on this device')
    await page.locator('input[value="off"]').focus()
    await page.keyboard.press('ArrowRight')
    expect(await readCaption()).toContain('exactly once')
    await page.locator('.people').getByText('Saved', { exact: true }).waitFor()
    await page.keyboard.press('ArrowRight')
    expect(await readCaption()).toContain('may not order yet')
  })

  nightly('shares language and colours with the app (M4, I-11, I-12, C-34)', async () => {
    const page = await openPath('/index.html?lang=xx')
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('en')
    await page.getByRole('button', { name: '中文' }).click()
    expect(await page.title()).toBe('服务门户：管理托管 ERP')
    await page.getByRole('button', { name: '切换浅色与深色' }).click()
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
    await page.getByRole('link', { name: '注册公司' }).click()
    await page.waitForURL((url) => url.pathname === '/saas/signup')
    await page.locator('main h1').waitFor()
    expect(
      await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset['theme']]),
    ).toEqual(['zh-Hans', 'dark'])
    await page.getByRole('button', { name: 'English' }).click()
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('en')
    await page.goBack()
    await expect.poll(() => page.title()).toBe('Service portal: manage your hosted ERP')
  })
})

nightly('A policy that was read once is available offline, but is not precached (M14)', async () => {
  const page = await openPath('/saas/login', {})
  await page.getByRole('link', { name: 'Privacy policy' }).click()
  await page.getByRole('heading', { level: 1, name: 'Privacy policy' }).waitFor()
  await page.goBack()
  await page.locator('main h1').waitFor()
  await waitForController(page)
  const cachedFiles = await page.evaluate(async () => {
    const names = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()))
    return names.flat().map(({ url }) => url)
  })
  expect(cachedFiles.filter((url) => /privacy|site\.(css|js)/.test(url))).toEqual([])
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'Privacy policy' }).click()
  await page.getByRole('heading', { level: 1, name: 'Privacy policy' }).waitFor()
  expect(getAddress(page).pathname).toBe('/privacy.html')
  expect(
    await page.evaluate(() => getComputedStyle(document.querySelector('.note') ?? document.body).borderRadius),
  ).toBe('6px')
  // This device has never opened this public page. The page detects by itself that the server is unreachable.
  await page.goto(new URL('/saas/forget', page.url()).href)
  await page.getByText('Sending the mail needs a connection.').waitFor()
  await page.locator('header .line:not(.online)').waitFor()
})
