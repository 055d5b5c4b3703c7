/** Keys of list pages: `c` creates, `j` and `k` move between rows, `x` selects and `e` opens the row with the focus (C-21). */

const tableSelector = 'main .list-room .table.rows'
const createSelector = 'main .page-action :is(button, a).primary'

/** Returns true if the key did something on this page. */
export function handleListKey(key: string): boolean {
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
