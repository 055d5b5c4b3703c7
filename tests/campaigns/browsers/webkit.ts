/**
 * Drives WebKitGTK in two ways. `startWebKit` uses W3C WebDriver: real keys and mouse, but nothing is stored on the disk. `openWebKit` uses
 * the inspector protocol with a profile, so the browser can be killed and reopened.
 */
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type EngineBrowser,
  createInput,
  findMiddle,
  killGroup,
  startGroup,
  toJsonCall,
} from '#tests/campaigns/browsers/engine.ts'
import { type MessageSocket, openSocket } from '#tests/campaigns/browsers/socket.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'

const startMs = 30_000
const loadMs = 60_000
/** A script of a page that is left at the same moment gets no answer. */
const scriptMs = 30_000
/** Returns the environment of the browser. Without the second variable WebKit does not start as root. */
const environment = (display: string) => ({ DISPLAY: display, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' })

export async function findMiniBrowser(): Promise<string> {
  for (const folder of await readdir('/usr/lib')) {
    const entries = await readdir(join('/usr/lib', folder, 'webkit2gtk-4.1')).catch((): string[] => [])
    if (entries.includes('MiniBrowser')) return join('/usr/lib', folder, 'webkit2gtk-4.1', 'MiniBrowser')
  }
  throw new Error('MiniBrowser of WebKitGTK 4.1 is not installed')
}

export async function startWebKit(display: string): Promise<EngineBrowser> {
  const port = await findFreePort()
  const child = startGroup('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], environment(display))
  let isRunning = true
  let isInFrame = false
  child.on('exit', () => (isRunning = false))
  const callDriver = async <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body: object = {}): Promise<T> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    })
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } }
    if (!response.ok) throw new Error(`${path}: ${value.error} ${value.message}`)
    return value
  }
  try {
    for (const deadline = Date.now() + startMs; ; await wait(100)) {
      if (
        await callDriver('GET', '/status').then(
          () => true,
          () => false,
        )
      )
        break
      if (Date.now() > deadline) throw new Error('WebKitWebDriver did not start in time')
    }
    const options = { binary: await findMiniBrowser(), args: ['--automation'] }
    const { sessionId } = await callDriver<{ sessionId: string }>('POST', '/session', {
      capabilities: { alwaysMatch: { pageLoadStrategy: 'none', 'webkitgtk:browserOptions': options } },
    })
    const session = `/session/${sessionId}`
    await callDriver('POST', `${session}/timeouts`, { script: scriptMs, pageLoad: loadMs })
    const performActions = (type: 'pointer' | 'key', actionList: object[]) =>
      callDriver('POST', `${session}/actions`, { actions: [{ type, id: type, actions: actionList }] })
    const runAtOnce = (expression: string) =>
      callDriver<unknown>('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] })
    const browser: EngineBrowser = {
      async goTo(url) {
        await runAtOnce(leavingMark)
        await browser.leaveFor(url)
        await untilLoaded(browser, runAtOnce)
      },
      async reload() {
        await runAtOnce(leavingMark)
        await callDriver('POST', `${session}/refresh`)
        await untilLoaded(browser, runAtOnce)
      },
      leaveFor: async (url) => void (await callDriver('POST', `${session}/url`, { url })),
      async run(callback, ...args) {
        const script = `const done = arguments[0]
          ${toJsonCall(callback as never, args)}.then((json) => done({ json }), (error) => done({ error: String(error) }))`
        const { json, error } = await callDriver<{ json?: string; error?: string }>(
          'POST',
          `${session}/execute/async`,
          {
            script,
            args: [],
          },
        )
        if (error !== undefined) throw new Error(error)
        return JSON.parse(json ?? 'null')
      },
      ...createInput(async (target) => {
        const point = await findMiddle(browser, target)
        if (!isInFrame) return point
        // WebKit counts coordinates from the page even in a frame, so the position is given by the element.
        const marked = { using: 'css selector', value: '[data-target]' }
        return { x: 0, y: 0, origin: await callDriver<object>('POST', `${session}/element`, marked) }
      }, performActions),
      async inFrame(work) {
        await browser.run(() => document.querySelector('iframe')?.scrollIntoView({ block: 'center' }))
        await callDriver('POST', `${session}/frame`, { id: 0 })
        isInFrame = true
        try {
          await work()
        } finally {
          isInFrame = false
          await callDriver('POST', `${session}/frame`, { id: null })
        }
      },
      resize: async (width, height) => void (await callDriver('POST', `${session}/window/rect`, { width, height })),
      screenshot: async () => Buffer.from(await callDriver<string>('GET', `${session}/screenshot`), 'base64'),
      isRunning: () => isRunning,
      async kill() {
        isRunning = false
        await killGroup(child)
      },
      async close() {
        await callDriver('DELETE', session).catch(() => undefined)
        await browser.kill()
      },
    }
    return browser
  } catch (error) {
    await killGroup(child)
    throw error
  }
}

/** Marks the current page as the one that is left. */
const leavingMark = '(window.isLeaving = true)'

/**
 * Waits for the next page by polling. The driver's own wait never ends if another page replaces the first. `runAtOnce` returns the value of
 * an expression, which is no promise, because a promise of the old page would never be resolved.
 */
async function untilLoaded(browser: EngineBrowser, runAtOnce: (expression: string) => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + loadMs; ; await wait(50)) {
    const state = await runAtOnce(`(window.isLeaving ? 'leaving' : document.readyState)`).catch(() => null)
    if (state === 'complete') return
    if (!browser.isRunning()) throw new Error('the browser has ended')
    if (Date.now() > deadline) throw new Error(`the page is not loaded within ${loadMs} ms`)
  }
}

interface EvaluationResult {
  result: { type: string; value?: unknown; objectId?: string; description?: string }
  wasThrown?: boolean
}

export async function openWebKit(display: string, profile: string): Promise<EngineBrowser> {
  const settingsFolder = join(profile, 'config', 'gtk-3.0')
  await mkdir(settingsFolder, { recursive: true })
  // Nobody looks at these pages. Without animations and compositing a page costs half of the processor time.
  await writeFile(join(settingsFolder, 'settings.ini'), '[Settings]\ngtk-enable-animations=0\n')
  const port = await findFreePort()
  const child = startGroup(
    await findMiniBrowser(),
    [`--cookies-file=${join(profile, 'cookies.sqlite')}`, 'about:blank'],
    {
      ...environment(display),
      WEBKIT_DISABLE_COMPOSITING_MODE: '1',
      WEBKIT_INSPECTOR_HTTP_SERVER: `127.0.0.1:${port}`,
      XDG_DATA_HOME: join(profile, 'data'),
      XDG_CACHE_HOME: join(profile, 'cache'),
      XDG_CONFIG_HOME: join(profile, 'config'),
    },
  )
  let isRunning = true
  child.on('exit', () => (isRunning = false))
  try {
    const page = await openTarget(await findPageAddress(port))
    const browser: EngineBrowser = {
      async goTo(url) {
        await page.run(leavingMark)
        await browser.leaveFor(url)
        await untilLoaded(browser, page.run)
      },
      async reload() {
        await page.run(leavingMark)
        await page.run('location.reload()')
        await untilLoaded(browser, page.run)
      },
      leaveFor: async (url) => void (await page.run(`location.assign(${JSON.stringify(url)})`)),
      async run(callback, ...args) {
        const result = page.run(toJsonCall(callback as never, args))
        const timer = new AbortController()
        const timeout = wait(scriptMs, null, { signal: timer.signal }).then(() => {
          throw new Error(`no result within ${scriptMs} ms`)
        })
        try {
          return JSON.parse(String(await Promise.race([result, timeout])))
        } finally {
          timer.abort()
        }
      },
      // The inspector protocol has neither mouse nor keyboard.
      async click(target) {
        await findMiddle(browser, target)
        await browser.run(() => {
          const element = document.querySelector<HTMLElement>('[data-target]')
          element?.focus()
          element?.click()
        })
      },
      async type(text) {
        await browser.run((typedText) => {
          for (const key of typedText) document.execCommand('insertText', false, key)
        }, text)
      },
      press: () => Promise.reject(new Error('keys need WebDriver')),
      inFrame: () => Promise.reject(new Error('frames need WebDriver')),
      resize: async () => undefined,
      screenshot: () => Promise.reject(new Error('screenshots need WebDriver')),
      isRunning: () => isRunning,
      async kill() {
        isRunning = false
        await killGroup(child)
        page.close()
      },
      async close() {
        const exit = isRunning ? once(child, 'exit') : Promise.resolve()
        child.kill('SIGTERM')
        await Promise.race([exit, wait(startMs)])
        await browser.kill()
      },
    }
    return browser
  } catch (error) {
    await killGroup(child)
    throw error
  }
}

async function findPageAddress(port: number): Promise<string> {
  for (const deadline = Date.now() + startMs; ; await wait(100)) {
    const pageList = await fetch(`http://127.0.0.1:${port}/`).then(
      (response) => response.text(),
      () => '',
    )
    const [, path] = /(\/socket\/\d+\/\d+\/WebPage)'/.exec(pageList) ?? []
    if (path) return `ws://127.0.0.1:${port}${path}`
    if (Date.now() > deadline) throw new Error('WebKit did not start in time')
  }
}

interface InspectorTarget {
  /** Returns the value of an expression, or the resolved value of a promise. */
  run(expression: string): Promise<unknown>
  close(): void
}

/** Opens the page's target. A later page may run in another process, which is a new target behind the same socket. */
async function openTarget(address: string): Promise<InspectorTarget> {
  let target = ''
  let lastId = 0
  const pending = new Map<number, { target: string; settle: (message: { result?: never; error?: unknown }) => void }>()
  const failPending = (id: string) => {
    for (const [messageId, { target: pendingTarget, settle }] of pending) {
      if (pendingTarget !== id) continue
      pending.delete(messageId)
      settle({ error: 'the page was left' })
    }
  }
  let onFirst = () => {}
  const firstTarget = new Promise<void>((resolve) => (onFirst = resolve))
  const socket: MessageSocket = await openSocket(address, (method, params: Record<string, never>) => {
    if (method === 'Target.targetCreated') {
      const { targetId, type, isProvisional } = params['targetInfo'] as unknown as Record<string, unknown>
      if (type !== 'page' || isProvisional) return
      target = String(targetId)
      onFirst()
    }
    if (method === 'Target.didCommitProvisionalTarget') target = String(params['newTargetId'])
    if (method === 'Target.targetDestroyed') failPending(String(params['targetId']))
    if (method === 'Target.dispatchMessageFromTarget') {
      const message = JSON.parse(String(params['message'])) as { id?: number }
      if (message.id === undefined) return
      pending.get(message.id)?.settle(message as never)
      pending.delete(message.id)
    }
  })
  await firstTarget
  const send = <T>(method: string, params: object): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      const targetId = target
      pending.set(id, {
        target: targetId,
        settle: ({ result, error }) => (error ? reject(new Error(JSON.stringify(error))) : resolve(result as T)),
      })
      const message = JSON.stringify({ id, method, params })
      socket.send('Target.sendMessageToTarget', { targetId, message }).catch((error: unknown) => {
        pending.delete(id)
        reject(error as Error)
      })
    })
  return {
    async run(expression) {
      const { result, wasThrown } = await send<EvaluationResult>('Runtime.evaluate', {
        expression,
        returnByValue: false,
      })
      if (wasThrown) throw new Error(result.description)
      if (result.objectId === undefined) return result.value
      const awaitedResult = await send<EvaluationResult>('Runtime.awaitPromise', {
        promiseObjectId: result.objectId,
        returnByValue: true,
      })
      if (awaitedResult.wasThrown)
        throw new Error(awaitedResult.result.description ?? String(awaitedResult.result.value))
      return awaitedResult.result.value
    },
    async close() {
      for (const { target: pendingTarget } of pending.values()) failPending(pendingTarget)
      socket.close()
    },
  }
}
