import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openProfile } from '#tests/support/browser/browser.ts'
import { setUpShared } from '#tests/support/browser/browser-setup.ts'

const { fixture } = setUpShared()
let folder: string
let context: BrowserContext
let page: Page

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portal-profile-'))
  context = await openProfile(folder)
  page = context.pages()[0] ?? (await context.newPage())
})

afterAll(async () => {
  await context?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const openPath = (path: string) => page.goto(fixture.portal.url + path)

describe('the installable app', () => {
  it('registers its worker under /saas, which controls the page without a reload (M6)', async () => {
    await openPath('/saas/login')
    const state = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return { scope: new URL(registration.scope).pathname, script: registration.active?.scriptURL ?? '' }
    })
    expect(state.scope).toBe('/saas/')
    expect(new URL(state.script).pathname).toBe('/saas/sw.js')
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  })

  it('has a manifest without errors (P-01) and can be installed (P-05)', async () => {
    await openPath('/saas/login')
    const devtools = await context.newCDPSession(page)
    const manifest = await devtools.send('Page.getAppManifest')
    expect(manifest.errors).toEqual([])
    expect(new URL(manifest.url).pathname).toBe('/saas/manifest.webmanifest')
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    expect(installabilityErrors).toEqual([])
  })

  /**
   * Opens the login page and returns its manifest. The test polls, because Chromium may still return the manifest of the previous language.
   * It uses the new one at the next visit.
   */
  const readManifest = async (language: string, heading: string) => {
    await openPath(`/saas/login?lang=${language}`)
    await page.getByRole('heading', { name: heading }).waitFor()
    const devtools = await context.newCDPSession(page)
    const { url, errors, data } = await devtools.send('Page.getAppManifest')
    return { path: new URL(url).pathname, errors, ...JSON.parse(data ?? '{}') }
  }

  it("has the manifest of the page's language (I-11)", async () => {
    await expect
      .poll(() => readManifest('zh', '登录'))
      .toMatchObject({
        path: '/saas/manifest.zh.webmanifest',
        errors: [],
        id: '/saas/',
        name: '服务门户',
        lang: 'zh-Hans',
      })
    await expect
      .poll(() => readManifest('en', 'Login'))
      .toMatchObject({ path: '/saas/manifest.webmanifest', errors: [], id: '/saas/' })
  })

  it('serves the manifest with its content type (P-01)', async () => {
    const response = await fetch(`${fixture.portal.url}/saas/manifest.webmanifest`)
    expect(response.headers.get('content-type')).toMatch(/^application\/manifest\+json/)
  })
})
