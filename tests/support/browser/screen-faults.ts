/**
 * What is wrong with the page as it stands, besides what axe finds: all of it by one look, because a question to the page costs as
 * much as its answer.
 */
import type { Page } from 'playwright-core'
import { setSheet } from '#tests/support/browser/browser.ts'
import { brokenDates, brokenWords, cutDescenders, cutTexts } from '#tests/support/browser/text-faults.ts'

/** Side of a target: of a finger (our rule, A-04) and of a mouse (WCAG 2.5.8), px. */
export const targets = { finger: 44, mouse: 24 } as const

export interface Faults {
  /** Texts that the box they stand in does not show whole, or that leave a round one; and tags that their cell cuts. */
  cut: string[]
  /** Dates that a line breaks at their hyphens. */
  brokenDates: string[]
  /** Words that a line breaks within, though they are short. */
  brokenWords: string[]
  /** Lines whose letters lose what hangs below them (g, p, y). */
  descenders: string[]
  /** Buttons of the open dialog that are called as another one, or as something that can be chosen there. */
  sameButtons: string[]
  /** Password fields of one form that differ in width. */
  passwordWidths: string[]
  /** What is too small to be pressed. */
  small: string[]
  /** Levels that are left out, and more or less than one `h1`. */
  headings: string[]
  /** Landmarks of one kind that are called alike. */
  landmarks: string[]
  /** Texts that may be the key of one that is missing (`missing-texts.ts`). */
  keyLike: string[]
  /** What reaches beyond the right edge of a page that scrolls sideways. */
  sideways: string[]
  /** Tooltips that are cut off, or make the page wider, when they are shown. */
  hints: string[]
}

interface Looked {
  /** The page is looked at when it has this width, px, is pressed so, and its scripts had two frames to place what they place. */
  width?: number
  isTouched?: boolean
  target?: number
  /** How long tooltips may take until they stand where they belong, ms. */
  patienceMs?: number
}

/** The area that a press of each reaches, its label and what is drawn before or after it too. */
function smallTargets({ target = 0 }: { target?: number }): string[] {
  interface Area {
    left: number
    top: number
    right: number
    bottom: number
  }
  if (target === 0) return []
  const pressed =
    'a[href], button, input:not([type=hidden]), select, textarea, summary, ' +
    '[role=button], [role=menuitem], [role=menuitemradio], [role=tab], [role=switch], [role=option], [tabindex="0"]'
  const within: Element = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1) ?? document.body

  const join = (one: Area, other: Area): Area => ({
    left: Math.min(one.left, other.left),
    top: Math.min(one.top, other.top),
    right: Math.max(one.right, other.right),
    bottom: Math.max(one.bottom, other.bottom),
  })

  /** What is placed over it to be pressed with it, such as `inset: -4px`. */
  function drawnBy(one: Element, area: Area): Area {
    return ['::before', '::after'].reduce((whole, part) => {
      const { position, content, left, top, width, height, pointerEvents } = getComputedStyle(one, part)
      if (position !== 'absolute' || content === 'none' || pointerEvents === 'none') return whole
      const placed = getComputedStyle(one).position !== 'static' ? one : (one as HTMLElement).offsetParent
      const from = placed?.getBoundingClientRect() ?? area
      const x = from.left + (placed?.clientLeft ?? 0) + parseFloat(left)
      const y = from.top + (placed?.clientTop ?? 0) + parseFloat(top)
      const drawn = { left: x, top: y, right: x + parseFloat(width), bottom: y + parseFloat(height) }
      return Object.values(drawn).some(Number.isNaN) ? whole : join(whole, drawn)
    }, area)
  }

  function areaOf(one: Element): Area {
    const labels = 'labels' in one ? [...((one as HTMLInputElement).labels ?? [])] : []
    // The whole row opens what its first link does (A-07).
    const row = one.matches('.lead a') ? one.closest('tr.leads, li.leads') : null
    const boxes = [one, ...labels, ...(row ? [row] : [])].map((each) => drawnBy(each, each.getBoundingClientRect()))
    return boxes.reduce(join)
  }

  /** A link within a sentence is as high as its line: other words stand beside it in its block (WCAG 2.5.8, inline). */
  function isInSentence(one: Element): boolean {
    if (getComputedStyle(one).display !== 'inline') return false
    let block = one.parentElement
    while (block && getComputedStyle(block).display.startsWith('inline')) block = block.parentElement
    const links = [...(block?.querySelectorAll(pressed) ?? [])]
    const linked = links.reduce((length, link) => length + (link.textContent?.trim().length ?? 0), 0)
    return (block?.textContent?.trim().length ?? 0) > linked + links.length
  }

  /** Shown when it is focused, such as the link that skips to the content. What is fixed does not scroll. */
  function isAway(one: Element, { right, bottom }: Area): boolean {
    const [x, y] = getComputedStyle(one).position === 'fixed' ? [0, 0] : [scrollX, scrollY]
    return right + x <= 0 || bottom + y <= 0
  }
  const nameOf = (one: Element) =>
    (one.getAttribute('aria-label') ?? (one.textContent?.trim() || one.getAttribute('name')) ?? '').slice(0, 30)
  const found = [...within.querySelectorAll(pressed)].flatMap((one) => {
    if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('[inert]')) return []
    if ('disabled' in one && one.disabled === true) return []
    const area = areaOf(one)
    const [width, height] = [area.right - area.left, area.bottom - area.top]
    // What readers aloud alone have, and what helps the focus on, is pressed by nobody.
    if (width <= 1 || height <= 1 || isAway(one, area)) return []
    // What is placed by thirds of a pixel is as large as it was meant.
    if (width > target - 0.5 && height > target - 0.5) return []
    if (isInSentence(one)) return []
    const kind = `${one.localName}.${(one.getAttribute('class') ?? '').replaceAll(' ', '.')}`
    return [`${kind} "${nameOf(one)}" ${Math.round(width)} × ${Math.round(height)}`]
  })
  // One of each row is enough.
  const kinds = new Map(found.map((one) => [one.replace(/".*"/, ''), one]))
  return [...kinds.values()]
}

function sameButtons(): string[] {
  const dialog = [...document.querySelectorAll('[role=dialog][aria-modal=true], [role=alertdialog]')].at(-1)
  const textsOf = (kind: string) =>
    [...(dialog?.querySelectorAll<HTMLElement>(kind) ?? [])]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .map((one) => one.innerText.trim())
      .filter((text) => text !== '')
  const buttons = textsOf('button')
  // What can be chosen, such as a role that is taken away, is not what closes the dialog.
  const choices = textsOf('label, [role=radio], option')
  return [...new Set(buttons.filter((text, at) => buttons.indexOf(text) !== at || choices.includes(text)))]
}

/** The button that shows what was typed stands within its field. */
function passwordWidths(): string[] {
  const shown = [...document.querySelectorAll('form')].filter((one) => one.checkVisibility())
  return shown.flatMap((form) => {
    const fields = [...form.querySelectorAll<HTMLInputElement>('input[type=password]')].filter((one) =>
      one.checkVisibility(),
    )
    const widths = new Set(fields.map((one) => Math.round(one.getBoundingClientRect().width)))
    return widths.size > 1 ? [fields.map((one) => `${one.name} ${one.getBoundingClientRect().width}`).join(', ')] : []
  })
}

function headings(): string[] {
  const shown = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter((one) =>
    one.checkVisibility({ visibilityProperty: true }),
  )
  const first = shown.filter((one) => one.localName === 'h1').length
  let [before, place] = [0, document.body as Element]
  const left = shown.flatMap((one) => {
    const level = Number(one.localName[1])
    const dialog = one.closest('[role=dialog]') ?? document.body
    // A dialog begins anew.
    const isNew = dialog !== place && dialog !== document.body
    const said = !isNew && level > before + 1 ? [`h${before} to ${one.localName} "${one.textContent?.trim()}"`] : []
    ;[before, place] = [level, dialog]
    return said
  })
  return [...(first === 1 ? [] : [`${first} h1`]), ...left]
}

function landmarks(): string[] {
  const roles: Record<string, string> = { nav: 'navigation', aside: 'complementary', main: 'main' }
  function roleOf(one: Element): string | null {
    const said = one.getAttribute('role')
    if (said) return said
    const isNamed = one.hasAttribute('aria-label') || one.hasAttribute('aria-labelledby')
    if (one.localName === 'section') return isNamed ? 'region' : null
    if (one.localName === 'form') return isNamed ? 'form' : null
    // Within a part of the page they are no landmarks.
    if (one.localName === 'header' || one.localName === 'footer')
      return one.closest('article, aside, main, nav, section, [role=dialog]') ? null : one.localName
    return roles[one.localName] ?? null
  }
  const nameOf = (one: Element) =>
    one.getAttribute('aria-label') ??
    (one.getAttribute('aria-labelledby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent?.trim() ?? '')
      .join(' ')
  const all = 'nav, aside, main, section, form, header, footer, [role=region], [role=navigation], [role=search]'
  const called = [...document.querySelectorAll(all)].flatMap((one) => {
    const role = roleOf(one)
    return role && one.checkVisibility({ visibilityProperty: true }) ? [`${role} "${nameOf(one)}"`] : []
  })
  return [...new Set(called.filter((one, at) => called.indexOf(one) !== at))]
}

/** Short, with a dot in it. */
function keyLike(): string[] {
  const named = [...document.querySelectorAll('[aria-label], [placeholder], [title]')].flatMap((one) =>
    ['aria-label', 'placeholder', 'title'].map((name) => one.getAttribute(name) ?? ''),
  )
  const shown = document.body.innerText.split('\n')
  return [document.title, ...shown, ...named]
    .map((text) => text.trim())
    .filter((text) => text.length < 100 && text.includes('.'))
}

/** A page that is still being placed gets a second: what is too wide stays so. */
async function sideways(): Promise<string[]> {
  const { documentElement: root } = document
  const end = performance.now() + 1000
  while (root.scrollWidth > root.clientWidth && performance.now() < end) await new Promise(requestAnimationFrame)
  if (root.scrollWidth <= root.clientWidth) return []
  const edges = [...document.querySelectorAll('body *')].map((one) => ({
    one,
    right: one.getBoundingClientRect().right,
  }))
  const found = edges.filter(({ right }) => right > root.clientWidth)
  return [
    `${root.scrollWidth - root.clientWidth} px`,
    ...found.map(({ one, right }) => `${one.localName}.${one.getAttribute('class') ?? ''} to ${Math.round(right)}`),
  ]
}

/** As they are shown to whoever comes to their buttons; until the script that places them is there, a few seconds. */
async function hints({ target = 0, patienceMs = 4000 }: { target?: number; patienceMs?: number }): Promise<string[]> {
  if (target === 0) return []
  const { documentElement: root } = document
  const within: Element = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1) ?? document.body
  const all = [...within.querySelectorAll<HTMLElement>('.hinted:has(> .hint)')].filter((one) => one.checkVisibility())
  const cutBy = (hint: Element): string | null => {
    const { left, right, top, bottom, width } = hint.getBoundingClientRect()
    if (width === 0) return null
    if (left < 0 || right > root.clientWidth + 1) return 'the window'
    for (let box = hint.parentElement; box && box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box)
      const at = box.getBoundingClientRect()
      const isCut =
        (overflowX !== 'visible' && (left < at.left || right > at.right + 1)) ||
        (/hidden|clip/.test(overflowY) && (top < at.top || bottom > at.bottom + 1))
      if (isCut) return `${box.localName}.${box.className}`
    }
    return null
  }
  async function look(): Promise<string[]> {
    for (const one of all) {
      one.classList.add('hint-shown')
      one.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
    }
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
    const cut = all.flatMap((one) => {
      const hint = one.querySelector(':scope > .hint')
      const by = hint && cutBy(hint)
      return by ? [`"${hint.textContent}" by ${by}`] : []
    })
    const wider = root.scrollWidth - root.clientWidth
    for (const one of all) one.classList.remove('hint-shown')
    return wider > 0 && root.scrollWidth <= root.clientWidth ? [...cut, `${wider} px wider`] : cut
  }
  const end = performance.now() + patienceMs
  let found = await look()
  while (found.length > 0 && performance.now() < end) found = await look()
  return [...new Set(found)]
}

async function drawnAt({ width, isTouched }: { width?: number; isTouched?: boolean }): Promise<void> {
  const frame = () => new Promise(requestAnimationFrame)
  const end = performance.now() + 20_000
  /** Until it is so; what never is, is told and not waited for. */
  async function until(isSo: () => boolean, said: () => string) {
    while (!isSo()) {
      if (performance.now() > end) throw new Error(`not at rest: ${said()}`)
      await frame()
    }
  }
  const now = () => [document.documentElement.clientWidth, matchMedia('(pointer: coarse)').matches] as const
  const isAsked = ([wide, isCoarse] = now()) => (width ?? wide) === wide && (isTouched ?? isCoarse) === isCoarse
  await until(isAsked, () => now().join(' px wide, touched '))
  await frame()
  await frame()
  // Even without motion what appears takes a millisecond, which a busy machine begins late. What stands in something that is
  // folded is never told to be over (`finished`); what goes by scrolling stands still.
  const moving = () =>
    document.getAnimations().filter(({ effect, timeline, playState }) => {
      const isEndless = effect?.getComputedTiming().endTime === Infinity || timeline !== document.timeline
      return playState === 'running' && !isEndless
    })
  const nameOf = (one: Animation) => {
    const { target, pseudoElement } = one.effect as KeyframeEffect
    const what = one instanceof CSSAnimation ? one.animationName : (one as CSSTransition).transitionProperty
    return `${what} of ${target?.localName}.${target?.getAttribute('class') ?? ''}${pseudoElement ?? ''}`
  }
  await until(
    () => moving().length === 0,
    () => moving().map(nameOf).join('; '),
  )
}

const looks = {
  sideways,
  cut: cutTexts,
  brokenDates,
  brokenWords,
  descenders: cutDescenders,
  sameButtons,
  passwordWidths,
  small: smallTargets,
  headings,
  landmarks,
  keyLike,
  hints,
}
const looking = `async (looked) => {
  await (${String(drawnAt)})(looked)
  const found = {}
  ${Object.entries(looks)
    .map(([name, look]) => `found.${name} = await (${String(look)})(looked)`)
    .join('\n')}
  return found
}`

/** As it stands. */
export const faultsOf = (page: Page, looked: Looked = {}): Promise<Faults> =>
  page.evaluate<Faults>(`(${looking})(${JSON.stringify(looked)})`)

/** Lines, letters, words and paragraphs as far apart as a reader may set them (WCAG 1.4.12). */
const spacing = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
p { margin-block-end: 2em !important }`

/** Sets the text of the page apart, or back. */
export const setApart = (page: Page, isApart: boolean): Promise<void> => setSheet(page, isApart ? spacing : null)
