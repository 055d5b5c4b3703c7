/** Keys in a table of prices, as in a spreadsheet: Enter and the arrows go to the same column of the next row. */
import type { KeyboardEvent } from 'react'

/** `onEnd`: Enter was pressed in the last row, and another one is wanted: it is there when this has returned. Null: none is made. */
export function onCellKeys(event: KeyboardEvent<HTMLElement>, onEnd: (() => void) | null): void {
  const cell = event.target
  if (!(cell instanceof HTMLInputElement) || cell.dataset['cell'] === undefined) return
  if (event.nativeEvent.isComposing || event.altKey || event.ctrlKey || event.metaKey) return
  const isEnter = event.key === 'Enter'
  // The list of suggestions of a code has these keys.
  if (cell.list && !isEnter) return
  if (!isEnter && event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const table = event.currentTarget
  const step = event.key === 'ArrowUp' || (isEnter && event.shiftKey) ? -1 : 1
  const column = [...table.querySelectorAll<HTMLInputElement>(`[data-cell=${cell.dataset['cell'] ?? ''}]`)]
  let nextCell = column[column.indexOf(cell) + step]
  if (!nextCell && isEnter && step > 0 && onEnd) {
    onEnd()
    // A row that was just made is filled from its beginning.
    nextCell = [...table.querySelectorAll<HTMLInputElement>('[role=row]:last-child [data-cell]')][0]
  }
  nextCell?.focus()
  nextCell?.select()
}
