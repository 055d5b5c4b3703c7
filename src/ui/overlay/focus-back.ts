const rowMs = 5_000

/**
 * Keeps where the focus is, or was, to be given back: to that element, to the row beside where its own row is gone, or to the
 * page's heading. What has taken the focus meanwhile keeps it.
 */
export function keepPlace(from: Element | null): () => void {
  const row = from?.closest('tr, li')
  const rows = row?.parentElement
  const beside = [row?.nextElementSibling, row?.previousElementSibling]
  const giveBack = () => {
    if (document.activeElement !== document.body) return
    const inRows = beside.map((one) => one?.querySelector('a[href]') ?? one?.querySelector('button'))
    const places = [from, ...inRows, document.querySelector('main h1')]
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
