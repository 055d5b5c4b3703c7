/** One round of the monkey: a portal with demo data, a browser with an empty profile, and Bombadil. */
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContext } from 'playwright-core'
import { killGroup, startGroup } from '#tests/campaigns/browsers/engine.ts'
import type { MonkeyControl, MonkeyWorld } from '#tests/campaigns/monkey/watcher.ts'
import { startPortal } from '#tests/support/browser/browser.ts'
import { startChromium } from '#tests/support/browser/chromium.ts'
import { messageKeys } from '#tests/support/browser/missing-texts.ts'
import { buildRig } from '#tests/support/device/rig/build.ts'
import { type FaultProxy, openFaultProxy } from '#tests/support/network/fault-proxy.ts'

export interface RoundOptions {
  minutes: number
  /** Company of the user. */
  company: 'acme' | 'm18'
  language: 'en' | 'zh'
  width: number
  height: number
  /** Data folder with the demo data. */
  demoData: string
  /** Folder for the trace. */
  folder: string
  /** Trace of an earlier round, whose actions are done again. Then `minutes` is not used. */
  repeatedTrace?: string
}

export interface RoundResult {
  /** What Bombadil wrote. */
  output: string
  /** Null if it was ended by a signal. */
  exitCode: number | null
  /** Calls that the server answered with a status of 500 or more. */
  serverErrors: string[]
}

const bombadil = join('node_modules', '@antithesishq', 'bombadil', 'bin', 'bombadil.js')
const specification = join('tests', 'campaigns', 'monkey', 'specification.ts')
const syncMs = 400
const maxPauseMs = 5_000
/** The server takes no more requests for a moment. The page tries again, so this is no fault. */
const busyStatus = 503

/** Creates the demo data for all rounds, which takes longer than copying them. */
export async function prepareDemoData(): Promise<string> {
  const portal = await startPortal()
  await portal.stop()
  const folder = await mkdtemp(join(tmpdir(), 'portal-monkey-data-'))
  await cp(portal.dataDir, folder, { recursive: true })
  await portal.close()
  return folder
}

/** Builds the watcher as a script without imports. */
export async function buildWatcher(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-monkey-watcher-'))
  await buildRig(folder, join(import.meta.dirname, 'watcher.ts'))
  const source = await readFile(join(folder, 'rig.js'), 'utf8')
  await rm(folder, { recursive: true })
  return `(() => {${source}})()`
}

/** Adds the watcher to all documents that are loaded from now on. */
export async function addWatcher(context: BrowserContext, watcherScript: string): Promise<void> {
  await context.addInitScript((keys) => (window.monkeyMessageKeys = keys), [...messageKeys])
  await context.addInitScript({ content: watcherScript })
}

const setWorld = (world: MonkeyWorld) => void (window.monkeyWatcher && (window.monkeyWatcher.world = world))

/** Lets the watcher control the network, and tells it what the process knows. Returns a function that stops this. */
async function connectWorld(context: BrowserContext, proxy: FaultProxy): Promise<() => Promise<void>> {
  let isServerReachable = true
  let isBrowserOnline = true
  let isDark = false
  const controls: Record<MonkeyControl, () => Promise<void> | void> = {
    server() {
      isServerReachable = !isServerReachable
      if (isServerReachable) proxy.clearFaults()
      else proxy.cut()
    },
    browser: () => context.setOffline(!(isBrowserOnline = !isBrowserOnline)),
    async dark() {
      isDark = !isDark
      for (const page of context.pages()) await page.emulateMedia({ colorScheme: isDark ? 'dark' : 'light' })
    },
  }
  await context.exposeFunction('monkeyControl', async (control: MonkeyControl) => await controls[control]())
  const readWorld = (): MonkeyWorld => ({
    isServerReachable,
    answeredCount: new Set(proxy.arrivals.flatMap(({ keys, endedAt }) => (endedAt === null ? [] : keys))).size,
  })
  let isRunning = true
  const sync = async () => {
    while (isRunning) {
      const world = readWorld()
      const updates = context.pages().map((page) => page.evaluate(setWorld, world))
      // A page that is being replaced or paused does not respond.
      await Promise.race([Promise.allSettled(updates), wait(maxPauseMs)])
      await wait(syncMs)
    }
  }
  const syncing = sync()
  return async () => {
    isRunning = false
    await syncing
  }
}

async function runBombadil(address: string, url: string, options: RoundOptions) {
  const args = [
    [bombadil, 'browser', 'test-external', url, specification, '--create-target'],
    ['--remote-debugger', `http://${new URL(address).host}`, '--output-path', options.folder],
    ['--width', String(options.width), '--height', String(options.height)],
    // The files come from the cache of the worker, where they cannot be instrumented.
    ['--instrument-javascript', ''],
    options.repeatedTrace
      ? ['--reproduce', options.repeatedTrace]
      : ['--time-limit', `${Math.round(options.minutes * 60)}s`],
  ]
  const child = startGroup(process.execPath, args.flat())
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk))
  const exit = once(child, 'exit')
  const graceMs = 120_000
  const end = options.repeatedTrace ? null : setTimeout(() => void killGroup(child), options.minutes * 60_000 + graceMs)
  const [exitCode] = (await exit) as [number | null]
  if (end) clearTimeout(end)
  return { output, exitCode }
}

export async function runRound(watcherScript: string, options: RoundOptions): Promise<RoundResult> {
  await mkdir(options.folder, { recursive: true })
  const profile = await mkdtemp(join(tmpdir(), 'portal-monkey-'))
  const portal = await startPortal({}, options.demoData)
  const proxy = await openFaultProxy(Number(new URL(portal.url).port))
  try {
    // The payment gateway leads back to the address that the user knows.
    await portal.stop()
    await portal.start({ PUBLIC_URL: proxy.url })
    const { context, address, kill } = await startChromium(profile)
    try {
      await addWatcher(context, watcherScript)
      await context.addInitScript((company) => (window.monkeyCompany = company), options.company)
      const disconnect = await connectWorld(context, proxy)
      const result = await runBombadil(address, `${proxy.url}/saas/login?lang=${options.language}`, options)
      await disconnect()
      const failedCalls = proxy.arrivals.filter(
        ({ status }) => status !== null && status >= 500 && status !== busyStatus,
      )
      return { ...result, serverErrors: failedCalls.map(({ method, path, status }) => `${method} ${path}: ${status}`) }
    } finally {
      await kill()
    }
  } finally {
    await proxy.close()
    await portal.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
