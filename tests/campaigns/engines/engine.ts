/** Defines the common interface of the WebKit and Firefox drivers: a browser with its own profile and one page. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

export type EngineName = 'webkit' | 'firefox'

export interface EngineBrowser {
  goTo(url: string): Promise<void>
  /** Navigates away without waiting for the new page. */
  leaveFor(url: string): Promise<void>
  /** Runs a function in the page. It must not refer to anything outside of itself. */
  run<A extends unknown[], T>(callback: (...args: A) => T | Promise<T>, ...args: A): Promise<T>
  /** Clicks with the mouse in the middle of the first visible element. */
  click(selector: string): Promise<void>
  /** Clicks the element, then types key by key. */
  type(selector: string, text: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  /** Returns a PNG. */
  screenshot(): Promise<Buffer>
  isRunning(): boolean
  /** Sends SIGKILL to the browser and all its processes. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** Returns the source text of a call that resolves to JSON. JSON is used because both browsers return strings in the same way. */
export const toJsonCall = (callback: (...args: never[]) => unknown, args: unknown[]): string =>
  `Promise.resolve((${callback.toString()})(...${JSON.stringify(args)})).then((value) => JSON.stringify(value ?? null))`

const pollMs = 50
const defaultWaitMs = 30_000

/** Waits until the function returns a truthy value in the page. Throws with `description` after a timeout. */
export async function waitFor<A extends unknown[]>(
  browser: EngineBrowser,
  description: string,
  callback: (...args: A) => unknown,
  args: A,
  timeoutMs = defaultWaitMs,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    // A page that is unloading does not respond.
    const isTrue = await browser.run(callback, ...args).catch((error: unknown) => {
      if (!browser.isRunning()) throw error
      return false
    })
    if (isTrue) return
    if (performance.now() > deadline) {
      const text = await browser.run(() => `${location.href}\n${document.body.innerText}`).catch(String)
      throw new Error(`not within ${timeoutMs} ms: ${description}. The page shows:\n${text.slice(0, 600)}`)
    }
    await wait(pollMs)
  }
}

type Point = { x: number; y: number }

/** Returns the middle of the first visible element in CSS pixels of the viewport, once it no longer moves. */
export async function findMiddle(browser: EngineBrowser, selector: string): Promise<Point> {
  let lastMiddle: Point | null = null
  for (const deadline = performance.now() + defaultWaitMs; ; await wait(2 * pollMs)) {
    const middleNow: Point | null = await browser.run((text) => {
      const visible = [...document.querySelectorAll(text)].find((element) => element.getClientRects().length > 0)
      visible?.scrollIntoView({ block: 'center', behavior: 'instant' })
      const box = visible?.getBoundingClientRect()
      const center = box && { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) }
      return center && center.x < innerWidth && center.y < innerHeight ? center : null
    }, selector)
    if (middleNow && lastMiddle && middleNow.x === lastMiddle.x && middleNow.y === lastMiddle.y) return middleNow
    if (performance.now() > deadline)
      throw new Error(`not within ${defaultWaitMs} ms: ${selector} is visible and does not move`)
    lastMiddle = middleNow
  }
}

const keyMs = 20

/** Creates mouse and keyboard input from WebDriver actions, which both protocols support. */
export function createInput(
  find: (selector: string) => Promise<Point>,
  sendActions: (type: 'pointer' | 'key', list: object[]) => Promise<unknown>,
): Pick<EngineBrowser, 'click' | 'type'> {
  const click = async (selector: string) => {
    const middle = await find(selector)
    await sendActions('pointer', [
      { type: 'pointerMove', ...middle },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ])
  }
  return {
    click,
    async type(selector, text) {
      await click(selector)
      const keys = [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
        { type: 'pause', duration: keyMs },
      ])
      await sendActions('key', keys)
    },
  }
}

/** Starts a program in its own process group, so all its children can be ended with it. */
export function startGroup(program: string, args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(program, args, { detached: true, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
}

export async function killGroup(child: ChildProcess): Promise<void> {
  const isOver = child.exitCode !== null || child.signalCode !== null
  const exit = isOver ? Promise.resolve() : once(child, 'exit')
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
  await exit
}
