const rowRemovalMs = 5_000
const rowSelector = 'tr, li, [role=row]'

const buttonsIn = (row: Element): HTMLButtonElement[] => [...row.querySelectorAll<HTMLButtonElement>('button')]

/** Moves the focus to the next row if a button removes its own row. Called once, for all lists. */
export function keepFocusInLists(): void {
  window.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      if (button?.closest(rowSelector)) rememberFocus(button)()
    },
    true,
  )
}

/**
 * Returns a function that restores the focus, unless another element has the focus by then. It focuses the first of these that
 * exists:
 * - the element itself
 * - a control in a neighbouring row, if its row was removed
 * - a control in its section, if that was the last row
 * - the heading of the page
 */
export function rememberFocus(focusedElement: Element | null): () => void {
  const row = focusedElement?.closest(rowSelector)
  const section = row?.closest('.price-rows, fieldset, section, form')
  const indexFromEnd =
    focusedElement && row
      ? buttonsIn(row)
          .reverse()
          .indexOf(focusedElement as HTMLButtonElement)
      : -1
  const rows = row?.parentElement
  const neighbours = [row?.nextElementSibling, row?.previousElementSibling]
  const restoreFocus = () => {
    if (document.activeElement !== document.body) return
    const rowCandidates = neighbours.map(
      (neighbour) =>
        neighbour?.querySelector('a[href]') ??
        (neighbour ? buttonsIn(neighbour).reverse()[indexFromEnd] : null) ??
        neighbour?.querySelector('button'),
    )
    const sectionCandidate =
      row?.isConnected === false ? section?.querySelector('button:not(:disabled), a[href], input') : null
    const candidates = [focusedElement, ...rowCandidates, sectionCandidate, document.querySelector('main h1')]
    for (const candidate of candidates)
      if (candidate instanceof HTMLElement && candidate.isConnected && candidate !== document.body)
        return candidate.focus()
  }
  return () =>
    // Runs after React has removed the focused element, because the focus is lost only then.
    void setTimeout(() => {
      restoreFocus()
      if (!row || !rows) return
      // A deleted row is removed when the response is stored, shortly after its dialog closes.
      const observer = new MutationObserver(() => row.isConnected || restoreFocus())
      observer.observe(rows, { childList: true })
      setTimeout(() => observer.disconnect(), rowRemovalMs)
    })
}
