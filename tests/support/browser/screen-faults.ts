/**
 * Finds the faults of the current page that axe does not find. One evaluation collects them all, because each round trip to the page is
 * slow.
 */
import type { Page } from 'playwright-core'
import { setStyleSheet } from '#tests/support/browser/browser.ts'
import {
  findBrokenDates,
  findBrokenWords,
  findCutDescenders,
  findCutTexts,
} from '#tests/support/browser/text-faults.ts'

/** Minimum side of a press target in px: for touch (rule A-04) and for a mouse (WCAG 2.5.8). */
export const targets = { finger: 44, mouse: 24 } as const

export interface ScreenFaults {
  /** Texts that are clipped by their box or do not fit into a round box, and tags that are clipped by their table cell. */
  cut: string[]
  /** Dates that wrap at a hyphen. */
  brokenDates: string[]
  /** Short words with a line break inside. */
  brokenWords: string[]
  /** Lines whose descenders (g, p, y) are clipped. */
  descenders: string[]
  /** Buttons of the open dialog that have the same text as another button or option in that dialog. */
  sameButtons: string[]
  passwordWidths: string[]
  small: string[]
  /** Skipped heading levels, and more or less than one `h1`. */
  headings: string[]
  /** Landmarks of the same kind and name. */
  landmarks: string[]
  /** Texts that look like the key of a missing text (`missing-texts.ts`). */
  keyLike: string[]
  /** Elements beyond the right edge of a page that scrolls sideways. */
  sideways: string[]
  /** Tooltips that are clipped or widen the page when shown. */
  hints: string[]
}

interface FaultSearchOptions {
  /**
   * Waits until the page has the width in px and the pointer type of these options, and its scripts had two frames to position elements.
   */
  width?: number
  isTouched?: boolean
  target?: number
  /** Maximum time in ms for tooltips to reach their position. */
  timeoutMs?: number
}

/** Returns targets whose pressable area is smaller than `target`. The area includes labels and pseudo-elements. */
function findSmallTargets({ target = 0 }: { target?: number }): string[] {
  interface Area {
    left: number
    top: number
    right: number
    bottom: number
  }
  if (target === 0) return []
  const pressableSelector =
    'a[href], button, input:not([type=hidden]), select, textarea, summary, ' +
    '[role=button], [role=menuitem], [role=menuitemradio], [role=menuitemcheckbox], [role=tab], [role=switch], [role=option], [tabindex="0"]'
  const scope: Element = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1) ?? document.body

  const joinAreas = (element: Area, otherArea: Area): Area => ({
    left: Math.min(element.left, otherArea.left),
    top: Math.min(element.top, otherArea.top),
    right: Math.max(element.right, otherArea.right),
    bottom: Math.max(element.bottom, otherArea.bottom),
  })

  /** Returns the area with pseudo-elements that enlarge the target, such as `inset: -4px`. */
  function getDrawnArea(element: Element, area: Area): Area {
    return ['::before', '::after'].reduce((union, part) => {
      const { position, content, left, top, width, height, pointerEvents } = getComputedStyle(element, part)
      if (position !== 'absolute' || content === 'none' || pointerEvents === 'none') return union
      const positionedElement =
        getComputedStyle(element).position !== 'static' ? element : (element as HTMLElement).offsetParent
      const from = positionedElement?.getBoundingClientRect() ?? area
      const x = from.left + (positionedElement?.clientLeft ?? 0) + parseFloat(left)
      const y = from.top + (positionedElement?.clientTop ?? 0) + parseFloat(top)
      const drawnArea = { left: x, top: y, right: x + parseFloat(width), bottom: y + parseFloat(height) }
      return Object.values(drawnArea).some(Number.isNaN) ? union : joinAreas(union, drawnArea)
    }, area)
  }

  function getArea(element: Element): Area {
    const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : []
    // A click anywhere in the row opens its first link (A-07).
    const row = element.matches('.lead a') ? element.closest('tr.leads, li.leads') : null
    const boxes = [element, ...labels, ...(row ? [row] : [])].map((labelledElement) =>
      getDrawnArea(labelledElement, labelledElement.getBoundingClientRect()),
    )
    return boxes.reduce(joinAreas)
  }

  /** Returns whether the link is part of a sentence. Such a link may be as low as its line (WCAG 2.5.8, inline). */
  function isInSentence(element: Element): boolean {
    if (getComputedStyle(element).display !== 'inline') return false
    let block = element.parentElement
    while (block && getComputedStyle(block).display.startsWith('inline')) block = block.parentElement
    const links = [...(block?.querySelectorAll(pressableSelector) ?? [])]
    const linkLength = links.reduce((length, link) => length + (link.textContent?.trim().length ?? 0), 0)
    return (block?.textContent?.trim().length ?? 0) > linkLength + links.length
  }

  /** Returns whether the element is outside the page until it is focused, such as the skip link. Fixed elements do not scroll. */
  function isOutsidePage(element: Element, { right, bottom }: Area): boolean {
    const [x, y] = getComputedStyle(element).position === 'fixed' ? [0, 0] : [scrollX, scrollY]
    return right + x <= 0 || bottom + y <= 0
  }
  const readName = (element: Element) =>
    (element.getAttribute('aria-label') ?? (element.textContent?.trim() || element.getAttribute('name')) ?? '').slice(
      0,
      30,
    )
  const smallOnes = [...scope.querySelectorAll(pressableSelector)].flatMap((element) => {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('[inert]')) return []
    if ('disabled' in element && element.disabled === true) return []
    const area = getArea(element)
    const [width, height] = [area.right - area.left, area.bottom - area.top]
    // Elements for screen readers and elements that only move the focus are not pressed.
    if (width <= 1 || height <= 1 || isOutsidePage(element, area)) return []
    // Allows for rounding of fractions of a pixel.
    if (width > target - 0.5 && height > target - 0.5) return []
    if (isInSentence(element)) return []
    const kind = `${element.localName}.${(element.getAttribute('class') ?? '').replaceAll(' ', '.')}`
    return [`${kind} "${readName(element)}" ${Math.round(width)} × ${Math.round(height)}`]
  })
  // Only one target of each kind is reported.
  const kinds = new Map(smallOnes.map((element) => [element.replace(/".*"/, ''), element]))
  return [...kinds.values()]
}

function findSameButtons(): string[] {
  const dialog = [...document.querySelectorAll('[role=dialog][aria-modal=true], [role=alertdialog]')].at(-1)
  const readTexts = (kind: string) =>
    [...(dialog?.querySelectorAll<HTMLElement>(kind) ?? [])]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .map((element) => element.innerText.trim())
      .filter((text) => text !== '')
  const buttons = readTexts('button')
  // Options are compared too, such as a role that can be removed: their text must differ from the button that closes the dialog.
  const choices = readTexts('label, [role=radio], option')
  return [...new Set(buttons.filter((text, index) => buttons.indexOf(text) !== index || choices.includes(text)))]
}

/** Returns forms whose password fields have different widths. The button that shows the password is inside the field. */
function findPasswordWidths(): string[] {
  const forms = [...document.querySelectorAll('form')].filter((element) => element.checkVisibility())
  return forms.flatMap((form) => {
    const fields = [...form.querySelectorAll<HTMLInputElement>('input[type=password]')].filter((element) =>
      element.checkVisibility(),
    )
    const widths = new Set(fields.map((element) => Math.round(element.getBoundingClientRect().width)))
    return widths.size > 1
      ? [fields.map((element) => `${element.name} ${element.getBoundingClientRect().width}`).join(', ')]
      : []
  })
}

function findHeadingFaults(): string[] {
  const visibleHeadings = [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter((element) =>
    element.checkVisibility({ visibilityProperty: true }),
  )
  const h1Count = visibleHeadings.filter((element) => element.localName === 'h1').length
  let [previousLevel, previousDialog] = [0, document.body as Element]
  const levelFaults = visibleHeadings.flatMap((element) => {
    const level = Number(element.localName[1])
    const dialog = element.closest('[role=dialog]') ?? document.body
    // Heading levels start again in a dialog.
    const isNew = dialog !== previousDialog && dialog !== document.body
    const fault =
      !isNew && level > previousLevel + 1
        ? [`h${previousLevel} to ${element.localName} "${element.textContent?.trim()}"`]
        : []
    ;[previousLevel, previousDialog] = [level, dialog]
    return fault
  })
  return [...(h1Count === 1 ? [] : [`${h1Count} h1`]), ...levelFaults]
}

function findDuplicateLandmarks(): string[] {
  const roles: Record<string, string> = { nav: 'navigation', aside: 'complementary', main: 'main' }
  function getRole(element: Element): string | null {
    const role = element.getAttribute('role')
    if (role) return role
    const isNamed = element.hasAttribute('aria-label') || element.hasAttribute('aria-labelledby')
    if (element.localName === 'section') return isNamed ? 'region' : null
    if (element.localName === 'form') return isNamed ? 'form' : null
    // Inside a section of the page, `header` and `footer` are no landmarks.
    if (element.localName === 'header' || element.localName === 'footer')
      return element.closest('article, aside, main, nav, section, [role=dialog]') ? null : element.localName
    return roles[element.localName] ?? null
  }
  const getLabel = (element: Element) =>
    element.getAttribute('aria-label') ??
    (element.getAttribute('aria-labelledby') ?? '')
      .split(' ')
      .map((id) => document.getElementById(id)?.textContent?.trim() ?? '')
      .join(' ')
  const selector = 'nav, aside, main, section, form, header, footer, [role=region], [role=navigation], [role=search]'
  const landmarkNames = [...document.querySelectorAll(selector)].flatMap((element) => {
    const role = getRole(element)
    return role && element.checkVisibility({ visibilityProperty: true }) ? [`${role} "${getLabel(element)}"`] : []
  })
  return [...new Set(landmarkNames.filter((element, index) => landmarkNames.indexOf(element) !== index))]
}

/** Returns short texts that contain a dot. */
function findKeyLikeTexts(): string[] {
  const labels = [...document.querySelectorAll('[aria-label], [placeholder], [title]')].flatMap((element) =>
    ['aria-label', 'placeholder', 'title'].map((name) => element.getAttribute(name) ?? ''),
  )
  const lines = document.body.innerText.split('\n')
  return [document.title, ...lines, ...labels]
    .map((text) => text.trim())
    .filter((text) => text.length < 100 && text.includes('.'))
}

/** Returns elements that exceed the page's width. Waits up to a second for a page whose layout is not complete. */
async function findSidewaysOverflow(): Promise<string[]> {
  const { documentElement: root } = document
  const end = performance.now() + 1000
  while (root.scrollWidth > root.clientWidth && performance.now() < end) await new Promise(requestAnimationFrame)
  if (root.scrollWidth <= root.clientWidth) return []
  const edges = [...document.querySelectorAll('body *')].map((element) => ({
    element,
    right: element.getBoundingClientRect().right,
  }))
  const overflowingEdges = edges.filter(({ right }) => right > root.clientWidth)
  return [
    `${root.scrollWidth - root.clientWidth} px`,
    ...overflowingEdges.map(
      ({ element, right }) => `${element.localName}.${element.getAttribute('class') ?? ''} to ${Math.round(right)}`,
    ),
  ]
}

/** Shows each tooltip by its button and waits up to a few seconds until the script has positioned it. */
async function findCutHints({
  target = 0,
  timeoutMs = 4000,
}: {
  target?: number
  timeoutMs?: number
}): Promise<string[]> {
  if (target === 0) return []
  const { documentElement: root } = document
  const scope: Element = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1) ?? document.body
  const hintedElements = [...scope.querySelectorAll<HTMLElement>('.hinted:has(> .hint)')].filter((element) =>
    element.checkVisibility(),
  )
  const findClipper = (hint: Element): string | null => {
    const { left, right, top, bottom, width } = hint.getBoundingClientRect()
    if (width === 0) return null
    if (left < 0 || right > root.clientWidth + 1) return 'the window'
    for (let box = hint.parentElement; box && box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box)
      const boxArea = box.getBoundingClientRect()
      const isCut =
        (overflowX !== 'visible' && (left < boxArea.left || right > boxArea.right + 1)) ||
        (/hidden|clip/.test(overflowY) && (top < boxArea.top || bottom > boxArea.bottom + 1))
      if (isCut) return `${box.localName}.${box.className}`
    }
    return null
  }
  async function findClippedHints(): Promise<string[]> {
    for (const element of hintedElements) {
      element.classList.add('hint-shown')
      element.dispatchEvent(new FocusEvent('focusin', { bubbles: true }))
    }
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
    const clippedHints = hintedElements.flatMap((element) => {
      const hint = element.querySelector(':scope > .hint')
      const clippedBy = hint && findClipper(hint)
      return clippedBy ? [`"${hint.textContent}" by ${clippedBy}`] : []
    })
    const extraWidth = root.scrollWidth - root.clientWidth
    for (const element of hintedElements) element.classList.remove('hint-shown')
    return extraWidth > 0 && root.scrollWidth <= root.clientWidth
      ? [...clippedHints, `${extraWidth} px wider`]
      : clippedHints
  }
  const end = performance.now() + timeoutMs
  let cutHints = await findClippedHints()
  while (cutHints.length > 0 && performance.now() < end) cutHints = await findClippedHints()
  return [...new Set(cutHints)]
}

async function waitUntilStill({ width, isTouched }: { width?: number; isTouched?: boolean }): Promise<void> {
  const frame = () => new Promise(requestAnimationFrame)
  const end = performance.now() + 20_000
  /** Waits until the condition is true. Reports a timeout instead of waiting forever. */
  async function until(isDone: () => boolean, describe: () => string) {
    while (!isDone()) {
      if (performance.now() > end) throw new Error(`not at rest: ${describe()}`)
      await frame()
    }
  }
  const readWidthAndPointer = () =>
    [document.documentElement.clientWidth, matchMedia('(pointer: coarse)').matches] as const
  const hasRequestedSize = ([currentWidth, isCoarse] = readWidthAndPointer()) =>
    (width ?? currentWidth) === currentWidth && (isTouched ?? isCoarse) === isCoarse
  await until(hasRequestedSize, () => readWidthAndPointer().join(' px wide, touched '))
  await frame()
  await frame()
  // Even without motion an appearing element takes a millisecond, and a busy machine starts it late. Animations inside collapsed elements
  // never finish (`finished`), and scroll-driven animations do not run, so both are ignored.
  const findRunningAnimations = () =>
    document.getAnimations().filter(({ effect, timeline, playState }) => {
      const isEndless = effect?.getComputedTiming().endTime === Infinity || timeline !== document.timeline
      return playState === 'running' && !isEndless
    })
  const describeAnimation = (element: Animation) => {
    const { target, pseudoElement } = element.effect as KeyframeEffect
    const animatedName =
      element instanceof CSSAnimation ? element.animationName : (element as CSSTransition).transitionProperty
    return `${animatedName} of ${target?.localName}.${target?.getAttribute('class') ?? ''}${pseudoElement ?? ''}`
  }
  await until(
    () => findRunningAnimations().length === 0,
    () => findRunningAnimations().map(describeAnimation).join('; '),
  )
}

const faultFinders = {
  sideways: findSidewaysOverflow,
  cut: findCutTexts,
  brokenDates: findBrokenDates,
  brokenWords: findBrokenWords,
  descenders: findCutDescenders,
  sameButtons: findSameButtons,
  passwordWidths: findPasswordWidths,
  small: findSmallTargets,
  headings: findHeadingFaults,
  landmarks: findDuplicateLandmarks,
  keyLike: findKeyLikeTexts,
  hints: findCutHints,
}
const findFaultsScript = `async (looked) => {
  await (${String(waitUntilStill)})(looked)
  const found = {}
  ${Object.entries(faultFinders)
    .map(([name, find]) => `found.${name} = await (${String(find)})(looked)`)
    .join('\n')}
  return found
}`

export const findFaults = (page: Page, options: FaultSearchOptions = {}): Promise<ScreenFaults> =>
  page.evaluate<ScreenFaults>(`(${findFaultsScript})(${JSON.stringify(options)})`)

/** Style sheet with the text spacing that a user may set (WCAG 1.4.12). */
const spacing = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
p { margin-block-end: 2em !important }`

export const setTextSpacing = (page: Page, isSpaced: boolean): Promise<void> =>
  setStyleSheet(page, isSpaced ? spacing : null)
