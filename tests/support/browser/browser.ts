/**
 * Starts the complete product for tests: the built client, a real server process with its own database, and Chromium. Everything is closed
 * with the test file that requested it.
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
  /** Address of the portal, `http://localhost:port`, without a trailing slash. */
  url: string
  /** Folder of the embedded database. Open it only while the server is stopped. */
  dataDir: string
  output(): string
  /** Number of the running process. Throws if none runs. */
  pid(): number
  /** Stops the process like Ctrl-C. The data stay available for `start`. */
  stop(): Promise<void>
  /** Kills the process like `kill -9`. */
  kill(): Promise<void>
  /** Starts again with the same data and port. Settings given here override the initial ones. */
  start(settings?: Record<string, string>): Promise<void>
  close(): Promise<void>
}

/** Campaigns run on machines that are overloaded. */
const startMs = 180_000

/** Settings with which the prepared demo data (`shared-portal.ts`) cannot be used. */
const settingsWithOwnData = ['DEMO', 'DATABASE_URL', 'TOKEN_KEY']

/** Starts the server like `npm start`, with faster password hashing, on a copy of a prepared data folder. */
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
    // All tests share one address, and many share a company.
    REQUEST_FACTOR: '100',
    DATA_DIR: dataDir,
    // Hosted services would keep running after the server and cost resources in tests that do not need them.
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
    // Waits for the server's message that it is ready. Polling would use a fifth of a processor.
    const healthCheck = new Promise<void>((resolve, reject) => {
      let ownOutput = ''
      const collectOutput = (chunk: Buffer) => {
        output += chunk
        ownOutput += chunk
        if (ownOutput.includes('The portal is running')) resolve()
      }
      server.stdout.on('data', collectOutput)
      server.stderr.on('data', collectOutput)
      server.on('close', () => reject(new Error(`the server ended at its start:\n${output}`)))
      setTimeout(() => reject(new Error(`the server was not ready in time:\n${output}`)), startMs).unref()
    })
    try {
      await healthCheck
      // While its database is busy, the server may be listening but not ready yet.
      for (const deadline = Date.now() + startMs; !(await fetch(`${url}/health/ready`)).ok; await wait(100))
        if (Date.now() > deadline) throw new Error(`the server was open and not ready in time:\n${output}`)
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
    pid() {
      if (child?.pid === undefined) throw new Error('the portal does not run')
      return child.pid
    },
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
 * Features that are disabled with a command line option. The browser's address bar list is one of them: each window renders it in advance,
 * which costs two seconds of processor time, and no test uses it. Only the last such option is used, so Playwright's own features are
 * repeated here.
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
 * Flags for pages that live for seconds: V8's optimisation and code cache use a quarter of the processor time without benefit. Measurements
 * use the browser without these flags.
 */
export const quickFlags = [...flags, '--js-flags=--no-opt,--always-sparkplug', '--v8-cache-options=none']

/** Flags for the suite. In campaigns the browser has no quick flags. */
export const suiteFlags = process.env.VITEST && !process.env.CAMPAIGN ? quickFlags : flags

export const findChromiumPath = (): string =>
  process.env.CHROMIUM_PATH || (existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : chromium.executablePath())

export const openBrowser = (): Promise<Browser> => chromium.launch({ executablePath: findChromiumPath(), args: flags })

/** Opens a browser with a persistent profile: stored data survives `close`. */
export const openProfile = (folder: string, options: BrowserContextOptions = {}): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, { executablePath: findChromiumPath(), args: suiteFlags, ...options })

export const people = {
  staff: { company: 'm18', username: 'staff@m18.example', password: 'Portal-demo-1' },
  clerk: { company: 'm18', username: 'clerk@m18.example', password: 'Portal-demo-1' },
  admin: { company: 'acme', username: 'admin@acme.example', password: 'Portal-demo-1' },
  user: { company: 'acme', username: 'user@acme.example', password: 'Portal-demo-1' },
  globex: { company: 'globex', username: 'admin@globex.example', password: 'Portal-demo-1' },
} as const

/** Fills the login form and submits it. The caller checks the result. Fields are found by name, so it works in both languages. */
export async function fillLogin(page: Page, person: Person) {
  await page.locator('input[name="company"]').fill(person.company)
  await page.locator('input[name="username"]').fill(person.username)
  await page.locator('input[name="password"]').fill(person.password)
}

export type Person = { company: string; username: string; password: string }

export type PersonOrName = keyof typeof people | Person
export const toPerson = (person: PersonOrName): Person => (typeof person === 'string' ? people[person] : person)

export async function signIn(page: Page, portal: Pick<Portal, 'url'>, person: PersonOrName, path = '/app/home') {
  await page.goto(`${portal.url}/saas${path}`)
  await fillLogin(page, toPerson(person))
  await page.locator('form button[type="submit"]').click()
  await page.waitForURL((url) => url.pathname.startsWith('/saas/app'))
  // Waits for the app's frame, because the login page stays visible under the new address until the next page can be rendered.
  await page.locator('.shell main h1').waitFor()
}

export interface AccessibilityViolation {
  id: string
  impact: string
  where: string[]
}

/** Adds a style sheet to the page, or removes it. Uses a constructed sheet, because the page's policy forbids style elements. */
export const setStyleSheet = (page: Page, text: string | null): Promise<void> =>
  page.evaluate((text) => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text ?? '')
    document.adoptedStyleSheets = text === null ? [] : [sheet]
  }, text)

/**
 * Style sheet for the check. A list's sticky footer covers rows, which would then be reported as too small. They can be scrolled into view.
 */
const staticFooter = '.list-foot { position: static !important }'

/** Returns the axe violations of the current page, without those of level minor. */
export async function findViolations(page: Page, selector = 'html'): Promise<AccessibilityViolation[]> {
  // Rows are dimmed while they are reloaded. The check waits until that has ended.
  await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached', timeout: 15_000 })
  // The check also waits for transitions that start in the next frame. Endless animations are ignored.
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
  // Uses the legacy mode, because the pages have no frames and the other mode opens a tab per check. Passed rules are not collected, and
  // style sheets are not fetched again, because no used rule needs them. axe has half a megabyte and is reused if the page was checked
  // before.
  const isAxeLoaded = await page.evaluate(() => 'axe' in window)
  const axe = new AxeBuilder({ page, ...(isAxeLoaded && { axeSource: ';' }) })
    .setLegacyMode(true)
    .include(selector)
    .options({ resultTypes: ['violations'], preload: false })
  await setStyleSheet(page, staticFooter)
  try {
    const { violations } = await axe.withTags(tags).analyze()
    return violations
      .filter(({ impact }) => impact !== 'minor')
      .map(({ id, impact, nodes }) => ({
        id,
        impact: String(impact),
        where: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary ?? ''}`),
      }))
  } finally {
    await setStyleSheet(page, null)
  }
}
