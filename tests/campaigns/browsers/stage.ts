/** Starts a portal behind the fault proxy, and browsers of one engine that can be killed and reopened. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EngineBrowser, type EngineName, waitFor } from '#tests/campaigns/browsers/engine.ts'
import { openChromium } from '#tests/campaigns/browsers/chromium.ts'
import { startFirefox } from '#tests/campaigns/browsers/firefox.ts'
import { openScreen, type VirtualScreen } from '#tests/campaigns/browsers/screen.ts'
import { openWebKit, startWebKit } from '#tests/campaigns/browsers/webkit.ts'
import { type Person, type Portal, startPortal } from '#tests/support/browser/browser.ts'
import { type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'

export interface EngineStage {
  engine: EngineName
  portal: Portal
  proxy: FaultProxy
  /** Opens the browser. Its profile is stored until the stage is closed. */
  open(profile: string): Promise<EngineBrowser>
  /** Like `open`, with real keys and mouse. In this mode WebKit stores nothing on the disk. */
  openWithKeys(profile: string): Promise<EngineBrowser>
  close(): Promise<void>
}

export async function openStage(engine: EngineName, settings: Record<string, string> = {}): Promise<EngineStage> {
  const folder = await mkdtemp(join(tmpdir(), `portal-${engine}-`))
  await buildRig(join(folder, 'rig'))
  const portal = await startPortal(settings)
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  proxy.mount('/saas/rig/', join(folder, 'rig'))
  const screen: VirtualScreen | null = engine === 'webkit' ? await openScreen() : null
  const open = (profile: string) => {
    const profileFolder = join(folder, profile)
    if (screen) return openWebKit(screen.display, profileFolder)
    return engine === 'firefox' ? startFirefox(profileFolder) : openChromium(profileFolder)
  }
  return {
    engine,
    portal,
    proxy,
    open,
    openWithKeys: (profile) => (screen ? startWebKit(screen.display) : open(profile)),
    async close() {
      await screen?.close()
      await proxy.close()
      await portal.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Maximum time in ms until the list or the login is shown. A first visit takes long on a busy machine. */
const enterMs = 120_000

const hasList = () => document.querySelector('main tbody tr a') !== null
const hasListOrLogin = () => document.querySelector('main tbody tr a, input[name="password"]') !== null

/** Opens the list of users and logs in if needed. Returns whether a login was needed. */
export async function enter(browser: EngineBrowser, url: string, credentials: Person): Promise<boolean> {
  await browser.goTo(`${url}/saas/app/user`)
  await waitFor(browser, 'the list of users or the login is shown', hasListOrLogin, [], enterMs)
  const isLogin = !(await browser.run(hasList))
  if (isLogin) {
    for (const [name, text] of Object.entries(credentials)) {
      await browser.click(`input[name="${name}"]`)
      // After an earlier visit the company is already filled in.
      await browser.run((field) => document.querySelector<HTMLInputElement>(`input[name="${field}"]`)?.select(), name)
      await browser.type(text)
    }
    await browser.click('form button[type="submit"]')
  }
  await waitFor(browser, 'the list of users is shown', hasList, [], enterMs)
  await waitFor(browser, 'the worker is in control', () => navigator.serviceWorker.controller !== null, [], enterMs)
  return isLogin
}

/** Loads the test rig into the page (tests/support/device/rig). */
export async function loadRig(browser: EngineBrowser): Promise<void> {
  await browser.run(async (address) => {
    window.rig = (await import(address)) as typeof window.rig
  }, '/saas/rig/rig.js')
}
