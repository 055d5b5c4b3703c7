/** Finds faults in rendered texts. Each function runs in the page, so it must be self-contained. */

/** Returns texts that are clipped. Texts for screen readers are left out. */
export function findCutTexts(): string[] {
  const isCut = (element: Element) => {
    const hasOwnText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    )
    // Styles are computed only for elements that exceed their box, because these are few.
    const [isWide, isHigh] = [
      element.scrollWidth > element.clientWidth + 1,
      element.scrollHeight > element.clientHeight + 1,
    ]
    if (!hasOwnText || element.clientWidth === 0 || !(isWide || isHigh)) return false
    const { overflowX, overflowY, clipPath, visibility, textOverflow, borderTopLeftRadius } = getComputedStyle(element)
    if (clipPath !== 'none' || visibility === 'hidden') return false
    // A text in a circle or on a tag is not clipped, but drawn beyond its edge.
    if (borderTopLeftRadius === '50%' || parseFloat(borderTopLeftRadius) * 2 >= element.clientHeight) return true
    // A single line with an ellipsis is allowed if its title is the complete text. The page behind its link shows it completely.
    const title = element.closest('[title]')?.getAttribute('title')
    const isTitled = textOverflow === 'ellipsis' && title === element.textContent
    if (isTitled && element.closest('td, .bar, .web-address')) return false
    return (isWide && /hidden|clip/.test(overflowX)) || (isHigh && /hidden|clip/.test(overflowY))
  }
  // An ellipsis after a tag would suggest that there is more content.
  const isTagCut = (element: Element) => {
    const cell = element.closest('td')
    if (!cell || cell.clientWidth === 0) return false
    const edge = cell.getBoundingClientRect().right - parseFloat(getComputedStyle(cell).paddingInlineEnd)
    return element.getBoundingClientRect().right > edge + 1
  }
  const cutElements = [
    ...[...document.querySelectorAll('body *')].filter(isCut),
    ...[...document.querySelectorAll('td .tag')].filter(isTagCut),
  ]
  return cutElements.map((element) => element.textContent?.trim() ?? '')
}

export function findBrokenDates(): string[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const brokenTexts: string[] = []
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text
    for (const { 0: date, index } of data.matchAll(/\d{4}-\d\d-\d\d/g)) {
      if (parentElement?.closest('.sr-only')) continue
      const range = document.createRange()
      range.setStart(texts.currentNode, index)
      range.setEnd(texts.currentNode, index + date.length)
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
      if (lines.size > 1) brokenTexts.push(`${date} of "${data.slice(0, 60)}"`)
    }
  }
  return brokenTexts
}

/** Returns words of up to 14 letters that contain a line break. Every column should have room for such a word. */
export function findBrokenWords(): string[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  const readLineBottoms = () =>
    new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ bottom }) => Math.round(bottom)))
  const brokenTexts = new Set<string>()
  while (texts.nextNode()) {
    const node = texts.currentNode as Text
    range.selectNodeContents(node)
    if (readLineBottoms().size < 2 || !node.parentElement || node.parentElement.closest('.sr-only, code, pre')) continue
    // Texts for screen readers are left out.
    if (getComputedStyle(node.parentElement).clipPath !== 'none') continue
    for (const { 0: word, index } of node.data.matchAll(
      /(?<![\p{L}\p{N}_.@/-])\p{Script=Latin}{2,14}(?![\p{L}\p{N}_.@/-])/gu,
    )) {
      range.setStart(node, index)
      range.setEnd(node, index + word.length)
      if (readLineBottoms().size > 1) brokenTexts.add(`${word} of "${node.data.slice(0, 60)}"`)
    }
  }
  return [...brokenTexts]
}

/**
 * Returns texts whose letters are clipped at the bottom. Measures the letters themselves, because a text row may be lower than the font
 * without clipping a letter.
 */
export function findCutDescenders(): string[] {
  const canvas = document.createElement('canvas').getContext('2d')
  if (!canvas) throw new Error('this browser draws nothing')
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  const cutTexts = new Set<string>()
  while (texts.nextNode()) {
    const node = texts.currentNode as Text
    const parent = node.parentElement
    if (!parent || !/[gjpqyç]/.test(node.data) || parent.closest('.sr-only, style, script')) continue
    range.selectNodeContents(node)
    const line = [...range.getClientRects()].at(-1)
    if (!line || line.width <= 1) continue
    canvas.font = getComputedStyle(parent).font
    const ink = canvas.measureText('gjpqyç')
    const share = ink.fontBoundingBoxAscent / (ink.fontBoundingBoxAscent + ink.fontBoundingBoxDescent)
    const bottom = line.top + line.height * share + ink.actualBoundingBoxDescent
    // Finds the nearest box that clips without scrolling.
    for (let box: Element | null = parent; box && box !== document.body; box = box.parentElement) {
      const { overflowY, borderBottomWidth, display, clipPath } = getComputedStyle(box)
      if (clipPath !== 'none') break
      if (display === 'inline' || overflowY === 'visible') continue
      const edge = box.getBoundingClientRect().bottom - parseFloat(borderBottomWidth)
      const isCut = /hidden|clip/.test(overflowY) && bottom > edge + 0.5 && line.top < edge - 4
      // Text that exceeds its box by at least one row is left to `findCutTexts`.
      if (isCut && box.scrollHeight <= box.clientHeight + 6) cutTexts.add(node.data.trim().slice(0, 40))
      break
    }
  }
  return [...cutTexts]
}
