/**
 * The product as a person meets it: the built client, a real server process on a database of its own, real Chromium.
 * Everything here ends with the test file that asked for it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import AxeBuilder from '@axe-core/playwright'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { endHosting } from '#tests/support/hosting/hosting.ts'
import { quickHashes, quickStart } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'

const root = join(import.meta.dirname, '..', '..', '..')

export interface Portal {
  /** `http://localhost:port`, without a slash at the end. */
  url: string
  /** Where its embedded database is; to be opened only while it is stopped. */
  dataDir: string
  /** Everything the server printed so far. */
  output(): string
  /** Ends the process the way Ctrl-C does; the data stays for `start`. */
  stop(): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
  /** Starts again, on the same data and port; settings given now go before those of the beginning. */
  start(settings?: Record<string, string>): Promise<void>
  /** Ends it and forgets the data. */
  close(): Promise<void>
}

/** Settings with which the demo world that was made beforehand (`shared-portal.ts`) is not the one to start on. */
const settingsWithOwnData = ['DEMO', 'DATABASE_URL', 'TOKEN_KEY']

/** The server as `npm start` runs it, with quicker passwords, on a copy of a data folder that was made before. */
export async function startPortal(
  settings: Record<string, string> = {},
  preparedDir: string | undefined = process.env.DEMO_DATA,
): Promise<Portal> {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-e2e-'))
  if (preparedDir && !settingsWithOwnData.some((name) => name in settings))
    cpSync(preparedDir, dataDir, { recursive: true })
  else if (!('DATABASE_URL' in settings)) await createDataFolder(dataDir)
  const port = await findFreePort()
  const url = `http://localhost:${port}`
  const env = {
    ...process.env,
    // All tests are one address, and many of them one company.
    REQUEST_FACTOR: '100',
    DATA_DIR: dataDir,
    // Services that it hosts go on when it ends, and take room and time where no test asks for them.
    HOSTING: 'off',
    SERVICE_USERS: 'off',
    PORT: String(port),
    LOG_LEVEL: 'warn',
    ...quickHashes,
    FREE_SPACE_MARK_MB: '1',
    FREE_SPACE_MARK_PERCENT: '0',
    ...settings,
  }
  let output = ''
  let child: ReturnType<typeof spawn> | null = null

  async function start(overrides: Record<string, string> = {}) {
    const server = spawn(process.execPath, [...quickStart, 'main.ts'], {
      cwd: root,
      env: { ...env, ...overrides },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = server
    // It says when it is open: asking until it answers takes a fifth of a core from it.
    const healthCheck = new Promise<void>((resolve, reject) => {
      let ownOutput = ''
      const collectOutput = (chunk: Buffer) => {
        output += chunk
        ownOutput += chunk
        if (ownOutput.includes('The portal is open')) resolve()
      }
      server.stdout.on('data', collectOutput)
      server.stderr.on('data', collectOutput)
      server.on('close', () => reject(new Error(`the server ended at its start:\n${output}`)))
      setTimeout(() => reject(new Error(`the server was not ready within a minute:\n${output}`)), 60_000).unref()
    })
    try {
      await healthCheck
      // Where its database is busy with others it may be open and not say so at once.
      for (const deadline = Date.now() + 60_000; !(await fetch(`${url}/health/ready`)).ok; await wait(100))
        if (Date.now() > deadline) throw new Error(`the server was open and not ready within a minute:\n${output}`)
    } catch (error) {
      await endProcess('SIGKILL')
      throw error
    }
  }

  async function endProcess(signal: 'SIGTERM' | 'SIGKILL') {
    const running = child
    child = null
    if (running === null || running.exitCode !== null || running.signalCode !== null) return
    running.kill(signal)
    await once(running, 'exit')
  }

  await start()
  return {
    url,
    dataDir,
    output: () => output,
    stop: () => endProcess('SIGTERM'),
    kill: () => endProcess('SIGKILL'),
    start,
    async close() {
      await endProcess('SIGTERM')
      if (settings['HOSTING'] === 'local') await endHosting(join(dataDir, 'hosting'))
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * The list under the address bar, a page of the browser's own: each window draws it beforehand, for two seconds of a processor, and
 * no test opens it. The last list of such names is the one that counts, so Playwright's stand in it too.
 */
const disabledFeatures = `
  WebUIOmniboxPopup WebUIOmniboxAimPopup WebUIOmniboxFullPopup
  AvoidUnnecessaryBeforeUnloadCheckSync DestroyProfileOnBrowserClose HttpsUpgrades
  HttpsFirstBalancedModeAutoEnable LensOverlay MediaRouter
  PaintHolding ThirdPartyStoragePartitioning AvoidCorsURLLoaderRestartOnRedirect
  OptimizationHints NetworkTimeServiceQuerying PreconnectToSearch
`

export const flags = [
  `--disable-features=${disabledFeatures.trim().split(/\s+/).join()}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * For pages that live for seconds: what V8 compiles a second time to be fast, and what it keeps compiled, costs a quarter of a
 * processor's time and does not pay. Where a figure is measured the browser is as people have it.
 */
export const quickFlags = [...flags, '--js-flags=--no-opt,--always-sparkplug', '--v8-cache-options=none']

/** What a test of the suite opens a browser with; by night and in a campaign it is as people have it. */
export const suiteFlags = process.env.VITEST && !process.env.CAMPAIGN ? quickFlags : flags

export const findChromiumPath = (): string =>
  process.env.CHROMIUM_PATH || (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : chromium.executablePath())

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: findChromiumPath(), args: flags })

/** A browser that keeps its profile in a folder, as a person's does: what is stored outlives `close`. */
export const openProfile = (folder: string, options: BrowserContextOptions = {}): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, { executablePath: findChromiumPath(), args: suiteFlags, ...options })

/** The demo world's people (README). */
export const people = {
  staff: { company: 'm18', username: 'staff@m18.example', password: 'Portal-demo-1' },
  clerk: { company: 'm18', username: 'clerk@m18.example', password: 'Portal-demo-1' },
  admin: { company: 'acme', username: 'admin@acme.example', password: 'Portal-demo-1' },
  user: { company: 'acme', username: 'user@acme.example', password: 'Portal-demo-1' },
  globex: { company: 'globex', username: 'admin@globex.example', password: 'Portal-demo-1' },
} as const

/** Fills the login form and sends it; the caller sees to where it leads. By name, so that both languages have one way. */
export async function fillLogin(page: Page, person: Person) {
  await page.locator('input[name="company"]').fill(person.company)
  await page.locator('input[name="username"]').fill(person.username)
  await page.locator('input[name="password"]').fill(person.password)
}

export type Person = { company: string; username: string; password: string }

/** One of the demo world's people by name, or somebody of a test's own. */
export type PersonOrName = keyof typeof people | Person
export const toPerson = (person: PersonOrName): Person => (typeof person === 'string' ? people[person] : person)

/** Signs in and waits until a page of the app stands. */
export async function signIn(page: Page, portal: Pick<Portal, 'url'>, person: PersonOrName, path = '/app/home') {
  await page.goto(`${portal.url}/saas${path}`)
  await fillLogin(page, toPerson(person))
  await page.locator('form button[type="submit"]').click()
  await page.waitForURL((url) => url.pathname.startsWith('/saas/app'))
  // In the frame of the app: the login stands under the new address until the page behind it can be drawn.
  await page.locator('.shell main h1').waitFor()
}

export interface AccessibilityViolation {
  id: string
  impact: string
  where: string[]
}

/** One sheet more on the page, or none again. It is the browser's own: the page's policy bars style elements. */
export const setStyleSheet = (page: Page, text: string | null): Promise<void> =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text ?? '')
    document.adoptedStyleSheets = text === null ? [] : [sheet]
  }, text)

/** A row that goes away under the foot of its list is scrolled to: it is not too small to be pressed. */
const staticFooter = '.list-foot { position: static !important }'

/** What axe finds serious or critical on the page as it stands. */
export async function findSeriousViolations(page: Page, selector = 'html'): Promise<AccessibilityViolation[]> {
  // Rows that are being asked for again are dimmed on purpose, and fade back: it is the page at rest that is judged.
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached', timeout: 15_000 })
  // What begins to fade with the next frame is waited for as well; what turns for ever is at rest as it is.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        (animation) =>
          animation.playState !== 'running' || animation.effect?.getComputedTiming().iterations === Infinity,
      ),
  )
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
  // No page of ours holds another one: the other mode opens a tab for each look.
  // What passes is not gathered, and style sheets, which no rule of these reads, are not fetched once more.
  // axe itself, half a megabyte, is there already where the page was looked at before.
  const isAxeLoaded = await page.evaluate(() => 'axe' in window)
  const axe = new AxeBuilder({ page, ...(isAxeLoaded && { axeSource: ';' }) })
    .setLegacyMode(true)
    .include(selector)
    .options({ resultTypes: ['violations'], preload: false })
  await setStyleSheet(page, staticFooter)
  try {
    const { violations } = await axe.withTags(tags).analyze()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, impact, nodes }) => ({
        id,
        impact: String(impact),
        where: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
      }))
  } finally {
    await setStyleSheet(page, null)
  }
}
