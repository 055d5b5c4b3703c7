/** Drives Firefox through its built-in WebDriver BiDi. No other program is needed. */
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type EngineBrowser,
  createInput,
  findMiddle,
  killGroup,
  startGroup,
  toJsonCall,
} from '#tests/campaigns/browsers/engine.ts'
import { openSocket } from '#tests/campaigns/browsers/socket.ts'
import { waitForAddress } from '#tests/support/browser/browser-address.ts'

/**
 * Preferences that disable start pages, updates and reports, and allow persistent storage, for which Firefox would otherwise ask the user.
 */
const preferences = {
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'browser.aboutwelcome.enabled': false,
  'app.update.enabled': false,
  'app.normandy.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false,
  'browser.sessionstore.resume_from_crash': false,
  'toolkit.startup.max_resumed_crashes': -1,
  'dom.serviceWorkers.enabled': true,
  'permissions.default.persistent-storage': 1,
}

interface FrameContext {
  context: string
  children?: FrameContext[]
}

interface EvaluationResult {
  type: 'success' | 'exception'
  result?: { value: string }
  exceptionDetails?: { text: string }
}

const closeMs = 30_000

export async function startFirefox(profile: string): Promise<EngineBrowser> {
  await mkdir(profile, { recursive: true })
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`)
  await writeFile(join(profile, 'user.js'), lines.join('\n'))
  const program = process.env.FIREFOX_PATH ?? 'firefox-esr'
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank']
  const child = startGroup(program, args, { MOZ_CRASHREPORTER_DISABLE: '1' })
  let isRunning = true
  child.on('exit', () => (isRunning = false))
  try {
    const socket = await openSocket(`${await waitForAddress(child, /BiDi listening on (ws:\S+)/)}/session`)
    await socket.send('session.new', {
      capabilities: { alwaysMatch: { unhandledPromptBehavior: { default: 'accept' } } },
    })
    const readTree = async () =>
      (await socket.send<{ contexts: FrameContext[] }>('browsingContext.getTree')).contexts[0]
    const page = await readTree()
    if (!page) throw new Error('Firefox has no page')
    let { context } = page
    const performActions = (type: 'pointer' | 'key', actionList: object[]) =>
      socket.send('input.performActions', { context, actions: [{ type, id: type, actions: actionList }] })
    const browser: EngineBrowser = {
      goTo: async (url) => void (await socket.send('browsingContext.navigate', { context, url, wait: 'complete' })),
      reload: async () => void (await socket.send('browsingContext.reload', { context, wait: 'complete' })),
      leaveFor: async (url) => void (await socket.send('browsingContext.navigate', { context, url, wait: 'none' })),
      async run(callback, ...args) {
        const { result, exceptionDetails } = await socket.send<EvaluationResult>('script.evaluate', {
          expression: toJsonCall(callback as never, args),
          target: { context },
          awaitPromise: true,
        })
        if (exceptionDetails) throw new Error(exceptionDetails.text)
        return JSON.parse(result?.value ?? 'null')
      },
      ...createInput((target) => findMiddle(browser, target), performActions),
      async inFrame(work) {
        const frame = (await readTree())?.children?.[0]
        if (!frame) throw new Error('the page has no frame')
        context = frame.context
        try {
          await work()
        } finally {
          context = page.context
        }
      },
      resize: async (width, height) =>
        void (await socket.send('browsingContext.setViewport', { context, viewport: { width, height } })),
      async screenshot() {
        const { data } = await socket.send<{ data: string }>('browsingContext.captureScreenshot', { context })
        return Buffer.from(data, 'base64')
      },
      isRunning: () => isRunning,
      async kill() {
        isRunning = false
        await killGroup(child)
        socket.close()
      },
      async close() {
        const exit = isRunning ? once(child, 'exit') : Promise.resolve()
        await socket.send('browser.close').catch(() => undefined)
        await Promise.race([exit, new Promise((resolve) => setTimeout(resolve, closeMs))])
        await browser.kill()
      },
    }
    return browser
  } catch (error) {
    await killGroup(child)
    throw error
  }
}
