/** Handles keys as in a spreadsheet: Enter and the arrows move to the same column of another row. */
import type { KeyboardEvent } from 'react'

interface CellMove {
  step: 1 | -1
  canAddRow: boolean
}

const movesByKey: Record<string, CellMove> = {
  Enter: { step: 1, canAddRow: true },
  'Shift+Enter': { step: -1, canAddRow: false },
  ArrowUp: { step: -1, canAddRow: false },
  ArrowDown: { step: 1, canAddRow: false },
}

function findMove({ key, shiftKey, altKey, ctrlKey, metaKey, nativeEvent }: KeyboardEvent): CellMove | undefined {
  if (nativeEvent.isComposing || altKey || ctrlKey || metaKey) return undefined
  return movesByKey[shiftKey && key === 'Enter' ? 'Shift+Enter' : key]
}

const findCells = (table: HTMLElement, selector: string) => [...table.querySelectorAll<HTMLInputElement>(selector)]

/** `onEnd` must add a row synchronously; it is called on Enter in the last row. Null if rows cannot be added. */
export function onCellKeys(event: KeyboardEvent<HTMLElement>, onEnd: (() => void) | null): void {
  const { target: cell, currentTarget: table } = event
  const column = cell instanceof HTMLInputElement ? cell.dataset['cell'] : undefined
  const move = findMove(event)
  if (!(cell instanceof HTMLInputElement) || column === undefined || !move) return
  // In a code field the arrow keys select a suggestion.
  if (cell.list && event.key !== 'Enter') return
  event.preventDefault()
  const cells = findCells(table, `[data-cell=${column}]`)
  const nextCell = cells[cells.indexOf(cell) + move.step]
  if (nextCell) return selectCell(nextCell)
  if (!move.canAddRow || !onEnd) return
  onEnd()
  // In a new row the first cell gets the focus.
  selectCell(findCells(table, '[role=row]:last-child [data-cell]')[0])
}

function selectCell(cell: HTMLInputElement | undefined) {
  cell?.focus()
  cell?.select()
}
