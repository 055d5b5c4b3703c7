/**
 * What is wrong with the page as it stands, besides what axe finds: all of it by one look, because a question to the page costs as
 * much as its answer.
 */
import type { Page } from 'playwright-core'
import { setStyleSheet } from '#tests/support/browser/browser.ts'
import {
  findBrokenDates,
  findBrokenWords,
  findCutDescenders,
  findCutTexts,
} from '#tests/support/browser/text-faults.ts'

/** Side of a target: of a finger (our rule, A-04) and of a mouse (WCAG 2.5.8), px. */
export const targets = { finger: 44, mouse: 24 } as const

export interface ScreenFaults {
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

interface FaultSearchOptions {
  /** The page is looked at when it has this width, px, is pressed so, and its scripts had two frames to place what they place. */
  width?: number
  isTouched?: boolean
  target?: number
  /** How long tooltips may take until they stand where they belong, ms. */
  timeoutMs?: number
}

/** The area that a press of each reaches, its label and what is drawn before or after it too. */
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
    '[role=button], [role=menuitem], [role=menuitemradio], [role=tab], [role=switch], [role=option], [tabindex="0"]'
  const scope: Element = [...document.querySelectorAll('[role=dialog][aria-modal=true]')].at(-1) ?? document.body

  const joinAreas = (element: Area, otherArea: Area): Area => ({
    left: Math.min(element.left, otherArea.left),
    top: Math.min(element.top, otherArea.top),
    right: Math.max(element.right, otherArea.right),
    bottom: Math.max(element.bottom, otherArea.bottom),
  })

  /** What is placed over it to be pressed with it, such as `inset: -4px`. */
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
    // The whole row opens what its first link does (A-07).
    const row = element.matches('.lead a') ? element.closest('tr.leads, li.leads') : null
    const boxes = [element, ...labels, ...(row ? [row] : [])].map((labelledElement) =>
      getDrawnArea(labelledElement, labelledElement.getBoundingClientRect()),
    )
    return boxes.reduce(joinAreas)
  }

  /** A link within a sentence is as high as its line: other words stand beside it in its block (WCAG 2.5.8, inline). */
  function isInSentence(element: Element): boolean {
    if (getComputedStyle(element).display !== 'inline') return false
    let block = element.parentElement
    while (block && getComputedStyle(block).display.startsWith('inline')) block = block.parentElement
    const links = [...(block?.querySelectorAll(pressableSelector) ?? [])]
    const linkLength = links.reduce((length, link) => length + (link.textContent?.trim().length ?? 0), 0)
    return (block?.textContent?.trim().length ?? 0) > linkLength + links.length
  }

  /** Shown when it is focused, such as the link that skips to the content. What is fixed does not scroll. */
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
    // What readers aloud alone have, and what helps the focus on, is pressed by nobody.
    if (width <= 1 || height <= 1 || isOutsidePage(element, area)) return []
    // What is placed by thirds of a pixel is as large as it was meant.
    if (width > target - 0.5 && height > target - 0.5) return []
    if (isInSentence(element)) return []
    const kind = `${element.localName}.${(element.getAttribute('class') ?? '').replaceAll(' ', '.')}`
    return [`${kind} "${readName(element)}" ${Math.round(width)} × ${Math.round(height)}`]
  })
  // One of each row is enough.
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
  // What can be chosen, such as a role that is taken away, is not what closes the dialog.
  const choices = readTexts('label, [role=radio], option')
  return [...new Set(buttons.filter((text, index) => buttons.indexOf(text) !== index || choices.includes(text)))]
}

/** The button that shows what was typed stands within its field. */
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
    // A dialog begins anew.
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
    // Within a part of the page they are no landmarks.
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

/** Short, with a dot in it. */
function findKeyLikeTexts(): string[] {
  const labels = [...document.querySelectorAll('[aria-label], [placeholder], [title]')].flatMap((element) =>
    ['aria-label', 'placeholder', 'title'].map((name) => element.getAttribute(name) ?? ''),
  )
  const lines = document.body.innerText.split('\n')
  return [document.title, ...lines, ...labels]
    .map((text) => text.trim())
    .filter((text) => text.length < 100 && text.includes('.'))
}

/** A page that is still being placed gets a second: what is too wide stays so. */
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

/** As they are shown to whoever comes to their buttons; until the script that places them is there, a few seconds. */
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
  /** Until it is so; what never is, is told and not waited for. */
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
  // Even without motion what appears takes a millisecond, which a busy machine begins late. What stands in something that is
  // folded is never told to be over (`finished`); what goes by scrolling stands still.
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

/** As it stands. */
export const findFaults = (page: Page, options: FaultSearchOptions = {}): Promise<ScreenFaults> =>
  page.evaluate<ScreenFaults>(`(${findFaultsScript})(${JSON.stringify(options)})`)

/** Lines, letters, words and paragraphs as far apart as a reader may set them (WCAG 1.4.12). */
const spacing = `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
p { margin-block-end: 2em !important }`

/** Sets the text of the page apart, or back. */
export const setTextSpacing = (page: Page, isSpaced: boolean): Promise<void> =>
  setStyleSheet(page, isSpaced ? spacing : null)
