/** What a button is called, or why it cannot be pressed, is read whole wherever the button stands. */

/** From the edges of the window, and of what would cut it off, px. */
const edgeWidth = 8

/** Moves a hint that is shown sideways, as far as it needs to be inside. */
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
  // By either edge: some are placed by the right one. A transform would still count for the width of a page within a table.
  if (hintRect.width > 0 && shift !== 0) hint.style.margin = `0 ${-shift}px 0 ${shift}px`
}

/** By pointer, by key and by touch, for all hints there will be. Before it is painted, so that it makes no page wider. */
export function keepHintsInViewport(): void {
  const onHintShown = ({ target }: Event) => {
    const hint = target instanceof Element && target.closest('.hinted')?.querySelector<HTMLElement>(':scope > .hint')
    if (hint) requestAnimationFrame(() => moveIntoViewport(hint))
  }
  for (const eventName of ['pointerover', 'focusin', 'click']) document.addEventListener(eventName, onHintShown)
}
