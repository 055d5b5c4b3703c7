/** Minimum distance in px between a hint and the edge of the window, or of an element that clips the hint. */
const edgeWidth = 8

function moveIntoViewport(hint: HTMLElement): void {
  hint.style.margin = ''
  let [leftEdge, rightEdge] = [edgeWidth, document.documentElement.clientWidth - edgeWidth]
  for (let box = hint.parentElement; box; box = box.parentElement) {
    if (getComputedStyle(box).overflowX === 'visible') continue
    const boxRect = box.getBoundingClientRect()
    leftEdge = Math.max(leftEdge, boxRect.left + edgeWidth)
    rightEdge = Math.min(rightEdge, boxRect.right - edgeWidth)
  }
  const hintRect = hint.getBoundingClientRect()
  const shift = Math.max(leftEdge - hintRect.left, Math.min(0, rightEdge - hintRect.right))
  // Sets both margins, because some hints are positioned by the right edge. A transform would still widen the page inside a table.
  if (hintRect.width > 0 && shift !== 0) hint.style.margin = `0 ${-shift}px 0 ${shift}px`
}

/** Moves each hint into the window when it is shown. Runs before painting, so that a hint does not widen the page. */
export function keepHintsInViewport(): void {
  const onHintShown = ({ target }: Event) => {
    const hint = target instanceof Element && target.closest('.hinted')?.querySelector<HTMLElement>(':scope > .hint')
    if (hint) requestAnimationFrame(() => moveIntoViewport(hint))
  }
  for (const eventName of ['pointerover', 'focusin', 'click']) document.addEventListener(eventName, onHintShown)
}
