const rowRemovalMs = 5_000
const rowSelector = 'tr, li, [role=row]'

const buttonsIn = (row: Element): HTMLButtonElement[] => [...row.querySelectorAll<HTMLButtonElement>('button')]

/** A row that is removed by a button of its own leaves the focus to the row beside it. Called once, for every list there is. */
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
 * Keeps where the focus is, or was, to be given back: to that element, to the row beside where its own row is gone, to its
 * section where that was the last, or to the page's heading. What has taken the focus meanwhile keeps it.
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
    // After React has taken away what had the focus: it is lost only then.
    void setTimeout(() => {
      restoreFocus()
      if (!row || !rows) return
      // A row that was deleted goes when the answer is stored, a moment after its dialog.
      const observer = new MutationObserver(() => row.isConnected || restoreFocus())
      observer.observe(rows, { childList: true })
      setTimeout(() => observer.disconnect(), rowRemovalMs)
    })
}
