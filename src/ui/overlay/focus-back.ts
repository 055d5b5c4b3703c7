const rowMs = 5_000
const rowSelector = 'tr, li, [role=row]'

const buttonsIn = (row: Element): HTMLButtonElement[] => [...row.querySelectorAll<HTMLButtonElement>('button')]

/** A row that is removed by a button of its own leaves the focus to the row beside it. Called once, for every list there is. */
export function keepFocusInLists(): void {
  window.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      if (button?.closest(rowSelector)) keepPlace(button)()
    },
    true,
  )
}

/**
 * Keeps where the focus is, or was, to be given back: to that element, to the row beside where its own row is gone, to its
 * section where that was the last, or to the page's heading. What has taken the focus meanwhile keeps it.
 */
export function keepPlace(from: Element | null): () => void {
  const row = from?.closest(rowSelector)
  const section = row?.closest('.price-rows, fieldset, section, form')
  const fromEnd =
    from && row
      ? buttonsIn(row)
          .reverse()
          .indexOf(from as HTMLButtonElement)
      : -1
  const rows = row?.parentElement
  const beside = [row?.nextElementSibling, row?.previousElementSibling]
  const giveBack = () => {
    if (document.activeElement !== document.body) return
    const inRows = beside.map(
      (one) =>
        one?.querySelector('a[href]') ??
        (one ? buttonsIn(one).reverse()[fromEnd] : null) ??
        one?.querySelector('button'),
    )
    const inSection =
      row?.isConnected === false ? section?.querySelector('button:not(:disabled), a[href], input') : null
    const places = [from, ...inRows, inSection, document.querySelector('main h1')]
    for (const place of places)
      if (place instanceof HTMLElement && place.isConnected && place !== document.body) return place.focus()
  }
  return () =>
    // After React has taken away what had the focus: it is lost only then.
    void setTimeout(() => {
      giveBack()
      if (!row || !rows) return
      // A row that was deleted goes when the answer is stored, a moment after its dialog.
      const watch = new MutationObserver(() => row.isConnected || giveBack())
      watch.observe(rows, { childList: true })
      setTimeout(() => watch.disconnect(), rowMs)
    })
}
