/**
 * Uses pages by keys alone, and checks the focus after every key: a visible element with a name and a focus ring, inside the window, not
 * below a bar. Nothing here clicks, focuses or fills an element.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from 'playwright-core'

interface FocusState {
  /** Accessible name, or the value of a nameless element. */
  name: string
  /** Tag, or role if the element has one. */
  kind: string
  /** Changes with the element. */
  id: number
  problem: string | null
  box: { top: number; bottom: number; left: number; right: number }
  /** The overlay, bar or landmark around the element. The reading order is compared within one. */
  region: string
}

/** Describes the element with the focus. Runs in the page. */
function readFocusState(): FocusState {
  const state = window as unknown as { focusIds?: WeakMap<Element, number>; lastFocusId?: number }
  const ids = (state.focusIds ??= new WeakMap())
  const element = document.activeElement ?? document.body
  if (!ids.has(element)) ids.set(element, (state.lastFocusId = (state.lastFocusId ?? 0) + 1))
  const input = element as HTMLInputElement
  const byId = (attribute: string) =>
    (element.getAttribute(attribute) ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent ?? '')
      .join(' ')
      .trim()
  const label = input.labels?.[0]
  const readText = (part: Node): string =>
    part instanceof Element && part.getAttribute('aria-hidden') === 'true'
      ? ''
      : part.childNodes.length === 0
        ? (part.textContent ?? '')
        : [...part.childNodes].map(readText).join('')
  const texts = [
    byId('aria-labelledby'),
    element.getAttribute('aria-label'),
    label && readText(label),
    element.matches('input, select, textarea, body') ? input.placeholder : readText(element),
    element.getAttribute('title'),
  ]
  const name = (texts.find((text) => text?.trim()) ?? '').trim().replaceAll(/\s+/g, ' ')
  // The browser draws neither check boxes nor file fields of its own here; their label is what a user sees.
  const ownBox = element.getBoundingClientRect()
  const isDrawnByLabel = label && (getComputedStyle(element).opacity === '0' || ownBox.width < 4)
  const visible = isDrawnByLabel ? label : element
  const { top, bottom, left, right } = visible.getBoundingClientRect()
  const clipped = {
    top: Math.max(top, 0),
    bottom: Math.min(bottom, innerHeight),
    left: Math.max(left, 0),
    right: Math.min(right, innerWidth),
  }
  const isHit = ([x, y]: readonly [number, number]) => {
    const hit = document.elementFromPoint(x, y)
    return hit !== null && [visible, label].some((part) => part && (part.contains(hit) || hit.contains(part)))
  }
  const at = (x: number, y: number) =>
    [clipped.left + (clipped.right - clipped.left) * x, clipped.top + (clipped.bottom - clipped.top) * y] as const
  const points = [at(0.5, 0.5), at(0.1, 0.5), at(0.9, 0.5), at(0.5, 0.2), at(0.5, 0.8)]
  // A field in a frame of its own, such as a filter, leaves the ring to the frame.
  const ringParts = [element, visible, element.nextElementSibling, element.parentElement, element.closest('.field')]
  const hasRing = ringParts.some((part) => {
    if (!part) return false
    return [null, '::after'].some((pseudoElement) => {
      const style = getComputedStyle(part, pseudoElement)
      return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none'
    })
  })
  const isControl = element.matches('a, button, input, select, textarea, summary, [tabindex="0"]')
  const findProblem = () => {
    if (element === document.body || element === document.documentElement) return 'the focus is lost'
    if (name === '' && element.tagName !== 'IFRAME') return 'without a name'
    if (visible.getClientRects().length === 0 || getComputedStyle(visible).visibility === 'hidden') return 'invisible'
    if (clipped.bottom - clipped.top < Math.min(bottom - top, 16) / 2) return 'outside the window'
    if (clipped.right - clipped.left < Math.min(right - left, 16) / 2) return 'outside the window'
    if (element.tagName === 'IFRAME') return null
    // A wide link or a card may be partly below something else, but not its centre and its sides.
    if (points.filter(isHit).length < 3) {
      const [x, y] = points[0] ?? [0, 0]
      return `covered by ${document.elementFromPoint(x, y)?.outerHTML.slice(0, 120) ?? 'nothing'}`
    }
    // The search is nothing but its field, whose caret is enough.
    return isControl && !hasRing && !element.matches('.search-field') ? 'without a focus ring' : null
  }
  const region = element.closest('[role=dialog], dialog, [role=menu], .toasts, header, footer, main, nav')
  return {
    name: element.tagName === 'IFRAME' ? (element.getAttribute('title') ?? 'frame') : name,
    kind: element.getAttribute('role') ?? element.tagName.toLowerCase(),
    id: ids.get(element) ?? 0,
    problem: findProblem(),
    box: { top: top + scrollY, bottom: bottom + scrollY, left, right },
    region: region ? `${region.tagName}.${region.className}` : '',
  }
}

/** Maximum wait in ms until the focus is good after a key: a dialog or page is loaded meanwhile. */
const focusMs = 15_000
const typingDelayMs = 25
const formatFocus = ({ kind, name, problem }: FocusState) => `${kind} "${name}"${problem ? `: ${problem}` : ''}`
const matches = (text: string, pattern: string | RegExp) =>
  typeof pattern === 'string' ? text === pattern : pattern.test(text)

export interface Keyboard {
  /** Waits until the focus is good, and on an element with this name if one is given. */
  expectFocus: (name?: string | RegExp) => Promise<FocusState>
  /** Presses keys one after the other. */
  press: (...keys: string[]) => Promise<void>
  type: (text: string) => Promise<void>
  /** Presses Tab until an element with this name has the focus. Checks each element on the way. */
  tabTo: (name: string | RegExp, options?: TabOptions) => Promise<FocusState>
  /** Presses Tab to the end of the page, and returns a line for each element that is faulty or before its predecessor in reading order. */
  walk: (limit?: number, key?: string) => Promise<{ names: string[]; problems: string[] }>
}

interface TabOptions {
  key?: string
  /** Maximum number of presses. */
  limit?: number
}

export function createKeyboard(page: Page): Keyboard {
  const read = () => page.evaluate(readFocusState)

  async function expectFocus(name: string | RegExp = /^/): Promise<FocusState> {
    const deadline = Date.now() + focusMs
    for (;;) {
      // The page may be replaced meanwhile.
      const state = await read().catch(() => null)
      if (state && state.problem === null && matches(state.name, name)) return state
      if (Date.now() > deadline)
        throw new Error(`expected the focus on ${String(name)}, but it is on ${state ? formatFocus(state) : 'no page'}`)
      await wait(30)
    }
  }

  async function press(...keys: string[]) {
    for (const key of keys) await page.keyboard.press(key)
  }

  /** Presses a key and returns the next element. A frame of another origin gets the focus a moment later. */
  async function step(key: string, previous: FocusState): Promise<FocusState> {
    await page.keyboard.press(key)
    const isFrame = previous.kind === 'iframe'
    for (let state = await read(), end = Date.now() + (isFrame ? 300 : 2_000); ; state = await read()) {
      if ((state.id !== previous.id && state.problem === null) || Date.now() > end) return state
      await wait(20)
    }
  }

  async function tabTo(name: string | RegExp, { key = 'Tab', limit = 80 }: TabOptions = {}): Promise<FocusState> {
    let state = await read()
    const visited: string[] = []
    for (let count = 0; count <= limit; count += 1) {
      if (matches(state.name, name) && state.problem === null) return state
      state = await step(key, state)
      // After the last element the browser's own bar has the focus, and the page's body.
      if (state.problem !== null && state.problem !== 'the focus is lost')
        throw new Error(`${key} leads to ${formatFocus(state)}`)
      visited.push(state.name.slice(0, 40))
    }
    throw new Error(`no ${String(name)} by ${key}, but ${visited.join(' | ')}`)
  }

  async function walk(limit = 400, key = 'Tab') {
    const names: string[] = []
    const problems: string[] = []
    let previous = await read()
    const startId = previous.id
    let firstId: number | undefined
    while (names.length < limit) {
      const state = await step(key, previous)
      // The browser's own bar follows the last element of a page; a dialog begins again.
      if (state.problem === 'the focus is lost' || [startId, firstId].includes(state.id)) return { names, problems }
      firstId ??= state.id
      names.push(state.name.slice(0, 40))
      if (state.problem) problems.push(formatFocus(state))
      if (isBefore(state, previous)) problems.push(`${formatFocus(state)} is before "${previous.name}"`)
      previous = state
    }
    return { names, problems: [...problems, `${key} does not leave the page`] }
  }

  return { expectFocus, press, type: (text) => page.keyboard.type(text, { delay: typingDelayMs }), tabTo, walk }
}

/** Returns true if an element is completely above the previous one, in the same column of the same region. */
function isBefore(next: FocusState, previous: FocusState): boolean {
  const isSameColumn = next.box.left < previous.box.right && next.box.right > previous.box.left
  return (
    next.region === previous.region &&
    isSameColumn &&
    next.box.bottom <= previous.box.top + 1 &&
    next.id !== previous.id
  )
}
