/**
 * Keys of list pages: `c` creates, `j` and `k` move between rows, `x` selects and `e` opens the row with the focus, Escape goes back from the
 * opened page to its row (C-21, decision 120).
 */

const tableSelector = 'main .list-room .table.rows'
const createSelector = 'main .page-action :is(button, a).primary'

/** Returns true if the key did something on this page. A key that is held down only moves. */
export function handleListKey(key: string, isRepeated: boolean): boolean {
  if (isRepeated && key !== 'j' && key !== 'k') return false
  const rows = [...document.querySelectorAll<HTMLElement>(`${tableSelector} > tbody > tr:not(.waiting)`)]
  if (key === 'c')
    return document.querySelector('main .list-room') !== null && click(document.querySelector(createSelector))
  const activeRow = rows.find((row) => row.contains(document.activeElement))
  if (key === 'j' || key === 'k') return focusRow(findNextRow(rows, activeRow, key === 'j' ? 1 : -1))
  if (key === 'x') return click(activeRow?.querySelector('td.pick input') ?? null)
  return key === 'e' && click(activeRow?.querySelector('td.first a[href]') ?? null)
}

/** Without an active row, moves to the first or the last one. Does not wrap around, so that the end of the page is noticed. */
function findNextRow(rows: readonly HTMLElement[], activeRow: HTMLElement | undefined, delta: 1 | -1) {
  if (!activeRow) return delta === 1 ? rows[0] : rows.at(-1)
  return rows[rows.indexOf(activeRow) + delta] ?? activeRow
}

/** Focuses the row's link. A row without one gets the focus itself. */
function focusRow(row: HTMLElement | undefined): boolean {
  if (!row) return false
  const link = row.querySelector<HTMLElement>('td.first a[href]')
  if (!link) row.tabIndex = -1
  const target = link ?? row
  target.focus()
  return true
}

function click(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false
  element.click()
  return true
}

/** Time in ms in which the rows of a list are displayed after the return to it. */
const maxRowsMs = 5_000

/**
 * Returns the path of the parent page, or null if this page has none or has a form. A form is left by its own buttons.
 */
export function findParentPath(): string | null {
  if (document.querySelector('main form:not([role=search])')) return null
  return document.querySelector('main .crumb-back')?.getAttribute('href') ?? null
}

/** Focuses the row that links to the page, as soon as it is displayed. Ends when the user does something else. */
export function focusRowOf(pagePath: string): void {
  const events = ['keydown', 'pointerdown'] as const
  const observer = new MutationObserver(focusLink)
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const name of events) removeEventListener(name, stop, true)
  }
  const timer = setTimeout(stop, maxRowsMs)
  observer.observe(document.body, { childList: true, subtree: true })
  for (const name of events) addEventListener(name, stop, true)

  function focusLink() {
    const links = [...document.querySelectorAll<HTMLAnchorElement>(`${tableSelector} td.first a[href]`)]
    // Heading and rows are displayed together. The heading has the focus when its page is ready.
    if (!document.activeElement?.matches('main h1')) return
    const link = links.find(({ pathname }) => pathname === pagePath)
    if (!link) return
    stop()
    link.focus()
  }
}
