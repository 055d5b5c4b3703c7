import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openProfile, type Portal, signIn, startPortal } from '#tests/support/browser.ts'

/** Every address of the specification (portal 2), with and without a person signed in. */
const publicPages = ['/', '/index.html', '/acceptable-use.html', '/api-policy.html', '/terms.html', '/privacy.html']
const strangersPages = ['login', 'signup', 'forget', 'entrance', 'resetPwd?otk=x', 'sys/activate?otk=x', 'nowhere']
const signedInPages = [
  'home',
  'service',
  'profile/company',
  'profile/user',
  'profile/password',
  'user',
  'contract',
  'contract/new',
  'contract/1',
  'systrail',
  'apphistory',
  'm18/upload',
  'm18/module',
  'm18/automodule',
  'm18/price',
]

let portal: Portal
let folder: string
let context: BrowserContext
let page: Page
const violations: string[] = []
const requests: string[] = []

beforeAll(async () => {
  portal = await startPortal()
  folder = mkdtempSync(join(tmpdir(), 'portal-profile-'))
  context = await openProfile(folder)
  context.on('request', (request) => requests.push(request.url()))
  await context.exposeFunction('reportViolation', (what: string) => violations.push(what))
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => {
      const report = Reflect.get(window, 'reportViolation') as (what: string) => Promise<void>
      void report(`${location.pathname}: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`)
    })
  })
  page = context.pages()[0] ?? (await context.newPage())
})

afterAll(async () => {
  await context?.close()
  await portal?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** Loads an address and lets the page come to rest. */
async function visit(path: string) {
  await page.goto(portal.url + path, { waitUntil: 'networkidle' })
  expect((await page.locator('body').innerText()).trim(), path).not.toBe('')
}

describe('the app on a device of its own', () => {
  it('is registered as a worker under /saas and takes the page over without a reload (M6)', async () => {
    await visit('/saas/login')
    const state = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return { scope: new URL(registration.scope).pathname, script: registration.active?.scriptURL ?? '' }
    })
    expect(state.scope).toBe('/saas/')
    expect(new URL(state.script).pathname).toBe('/saas/sw.js')
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  })

  it('can be installed: a manifest without errors (P-01), nothing in the way of it (P-05)', async () => {
    await visit('/saas/login')
    const devtools = await context.newCDPSession(page)
    const manifest = await devtools.send('Page.getAppManifest')
    expect(manifest.errors).toEqual([])
    expect(new URL(manifest.url).pathname).toBe('/saas/manifest.webmanifest')
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
    expect(installabilityErrors).toEqual([])
  })

  it('serves the manifest as what it is (P-01)', async () => {
    const answer = await fetch(`${portal.url}/saas/manifest.webmanifest`)
    expect(answer.headers.get('content-type')).toMatch(/^application\/manifest\+json/)
  })
})

describe('every screen keeps to the policy (H-01) and to its own host (P-33)', () => {
  it('as a stranger', async () => {
    for (const path of publicPages) await visit(path)
    for (const path of strangersPages) await visit(`/saas/${path}`)
    expect(violations.splice(0)).toEqual([])
  })

  it("as the provider's staff, who may open everything", async () => {
    await signIn(page, portal, 'staff')
    for (const path of signedInPages) await visit(`/saas/app/${path}`)
    await visit('/saas/logout')
    expect(violations.splice(0)).toEqual([])
  })

  it('would notice an offence', async () => {
    await visit('/saas/login')
    await page.evaluate(() => {
      const style = document.createElement('style')
      style.textContent = 'body { color: red }'
      document.head.append(style)
    })
    await expect.poll(() => violations.length).toBeGreaterThan(0)
    expect(violations.splice(0).join()).toContain('style-src')
  })

  it('asked nobody else for anything', () => {
    const { host } = new URL(portal.url)
    const elsewhere = requests.filter((url) => /^(https?|wss?):/.test(url) && new URL(url).host !== host)
    expect(requests.length).toBeGreaterThan(signedInPages.length)
    expect(elsewhere).toEqual([])
  })
})
