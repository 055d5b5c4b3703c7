/** What a button is called, or why it cannot be pressed, is read whole wherever the button stands. */

/** From the edges of the window, and of what would cut it off, px. */
const edge = 8

/** Moves a hint that is shown sideways, as far as it needs to be inside. */
function keepInside(hint: HTMLElement): void {
  hint.style.margin = ''
  let [left, right] = [edge, document.documentElement.clientWidth - edge]
  for (let box = hint.parentElement; box; box = box.parentElement) {
    if (getComputedStyle(box).overflowX === 'visible') continue
    const at = box.getBoundingClientRect()
    left = Math.max(left, at.left + edge)
    right = Math.min(right, at.right - edge)
  }
  const at = hint.getBoundingClientRect()
  const shift = Math.max(left - at.left, Math.min(0, right - at.right))
  // By either edge: some are placed by the right one. A transform would still count for the width of a page within a table.
  if (at.width > 0 && shift !== 0) hint.style.margin = `0 ${-shift}px 0 ${shift}px`
}

/** By pointer, by key and by touch, for all hints there will be. Before it is painted, so that it makes no page wider. */
export function keepHintsInside(): void {
  const shown = ({ target }: Event) => {
    const hint = target instanceof Element && target.closest('.hinted')?.querySelector<HTMLElement>(':scope > .hint')
    if (hint) requestAnimationFrame(() => keepInside(hint))
  }
  for (const name of ['pointerover', 'focusin', 'click']) document.addEventListener(name, shown)
}
