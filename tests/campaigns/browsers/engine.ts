/** Defines the common interface of the drivers of Firefox, WebKit and Chromium: a browser with its own profile and one page. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

export type EngineName = 'webkit' | 'firefox' | 'chromium'

export interface EngineBrowser {
  goTo(url: string): Promise<void>
  reload(): Promise<void>
  /** Navigates away without waiting for the new page. */
  leaveFor(url: string): Promise<void>
  /** Runs a function in the page. It must not refer to anything outside of itself. */
  run<A extends unknown[], T>(callback: (...args: A) => T | Promise<T>, ...args: A): Promise<T>
  /** Clicks with the mouse in the middle of the first visible element. */
  click(target: Target | string): Promise<void>
  /** Types key by key into the focused element. */
  type(text: string): Promise<void>
  /** Presses keys one after the other, such as `Tab` or `Control+a`. */
  press(...keys: string[]): Promise<void>
  /** Directs everything to the first frame of the page while `work` runs. */
  inFrame(work: () => Promise<void>): Promise<void>
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

/** An element as a person would name it. A text instead of a target is a CSS selector. */
export interface Target {
  /** CSS selector. Default: every element with the role. */
  css?: string
  role?: 'button' | 'link' | 'radio' | 'textbox' | 'menuitem'
  /** Regular expression for the accessible name: the label, or else the text, with single spaces. */
  name?: string
}

/**
 * Finds the first visible element of a target, marks it with `data-target`, and returns its middle. Returns null if there
 * is none, or if it does not lie on the screen. Runs in the page.
 */
function locateTarget({ css, role, name }: Target): Point | null {
  const selectors = {
    button: 'button, [role="button"], a.button',
    link: 'a[href]',
    radio: 'input[type="radio"]',
    textbox: 'input, textarea',
    menuitem: '[role="menuitem"]',
  }
  const readName = (element: Element) => {
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : []
    const text = element.getAttribute('aria-label') ?? (labels[0] ?? element).textContent
    return text.replace(/\s+/g, ' ').trim()
  }
  document.querySelector('[data-target]')?.removeAttribute('data-target')
  const candidates = document.querySelectorAll(css ?? (role ? selectors[role] : '*'))
  const match = [...candidates].find(
    (element) =>
      element.getClientRects().length > 0 && (name === undefined || new RegExp(name, 'u').test(readName(element))),
  )
  if (!match) return null
  match.scrollIntoView({ block: 'center', behavior: 'instant' })
  match.setAttribute('data-target', '')
  const { x, y, width, height } = match.getBoundingClientRect()
  const middle = { x: x + width / 2, y: y + height / 2 }
  return middle.x < innerWidth && middle.y < innerHeight ? middle : null
}

const toTarget = (target: Target | string): Target => (typeof target === 'string' ? { css: target } : target)

/** Returns the middle of the first visible element in CSS pixels of the viewport, once it no longer moves. The element is marked. */
export async function findMiddle(browser: EngineBrowser, target: Target | string): Promise<Point> {
  let lastBox: Point | null = null
  for (const deadline = performance.now() + defaultWaitMs; ; await wait(2 * pollMs)) {
    // A page that is being replaced does not respond.
    const box = await browser.run(locateTarget, toTarget(target)).catch((error: unknown) => {
      if (!browser.isRunning()) throw error
      return null
    })
    if (box && lastBox && box.x === lastBox.x && box.y === lastBox.y)
      return { x: Math.round(box.x), y: Math.round(box.y) }
    if (performance.now() > deadline) {
      const text = await browser.run(() => `${location.href}\n${document.body.innerText}`).catch(String)
      throw new Error(
        `not within ${defaultWaitMs} ms: ${JSON.stringify(target)} is visible and does not move. The page shows:\n${text.slice(0, 1500)}`,
      )
    }
    lastBox = box
  }
}

const keyMs = 20
/** Codes of keys without a character (WebDriver 17.4.2). */
const keyCodes: Record<string, string> = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Control: '\uE009',
  Escape: '\uE00C',
  Space: ' ',
  End: '\uE010',
  ArrowRight: '\uE014',
}

/** Presses keys at once. */
const toKeyActions = (keys: readonly string[]) => {
  const values = keys.map((key) => keyCodes[key] ?? key)
  return [
    ...values.map((value) => ({ type: 'keyDown', value })),
    ...values.toReversed().map((value) => ({ type: 'keyUp', value })),
    { type: 'pause', duration: keyMs },
  ]
}

/** Creates mouse and keyboard input from WebDriver actions, which both protocols support. */
export function createInput(
  find: (target: Target | string) => Promise<Point & { origin?: object }>,
  sendActions: (type: 'pointer' | 'key', list: object[]) => Promise<unknown>,
): Pick<EngineBrowser, 'click' | 'type' | 'press'> {
  return {
    async click(target) {
      const point = await find(target)
      await sendActions('pointer', [
        { type: 'pointerMove', ...point },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ])
    },
    type: async (text) =>
      void (await sendActions(
        'key',
        [...text].flatMap((character) => toKeyActions([character])),
      )),
    press: async (...keys) =>
      void (await sendActions(
        'key',
        keys.flatMap((key) => toKeyActions(key.split('+'))),
      )),
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
