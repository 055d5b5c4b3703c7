import type { ChangeEvent } from 'react'

interface SelectionBoxProps<K> {
  label: string
  rowKey: K
  /** Keys of all rows on the page, in their order. */
  pageKeys: readonly K[]
  /** The row that was clicked last. Null before the first click. */
  rangeStart: K | null
  isSelected: boolean
  /** The clicked row is the last of `keys`. */
  onSelect: (keys: readonly K[], isSelected: boolean) => void
}

/** Check box of a row. With Shift it selects or deselects all rows from the last clicked one to this one. */
export function SelectionBox<K>({ label, rowKey, pageKeys, rangeStart, isSelected, onSelect }: SelectionBoxProps<K>) {
  const handleChange = (event: ChangeEvent<HTMLInputElement>) => {
    const isRange = (event.nativeEvent as MouseEvent).shiftKey
    onSelect(isRange ? selectRange(pageKeys, rangeStart, rowKey) : [rowKey], event.target.checked)
  }
  return (
    <label className="check box">
      <input type="checkbox" aria-label={label} checked={isSelected} onChange={handleChange} />
    </label>
  )
}

interface SelectAllBoxProps {
  label: string
  selectedCount: number
  count: number
  /** `isSelected` is true if all rows are to be selected. */
  onSelect: (isSelected: boolean) => void
}

/** Check box of the table head. It is mixed while some rows are selected. */
export function SelectAllBox({ label, selectedCount, count, onSelect }: SelectAllBoxProps) {
  const isAllSelected = selectedCount > 0 && selectedCount === count
  return (
    <label className="check box">
      <input
        type="checkbox"
        className="some"
        aria-label={label}
        ref={(input) => {
          if (input) input.indeterminate = selectedCount > 0 && !isAllSelected
        }}
        checked={isAllSelected}
        onChange={() => onSelect(!isAllSelected)}
      />
    </label>
  )
}

/** Returns the keys from `start` to `end`, both included. Returns only `end` if one of them is not on the page. */
export function selectRange<K>(pageKeys: readonly K[], start: K | null, end: K): readonly K[] {
  const [startIndex, endIndex] = [start === null ? -1 : pageKeys.indexOf(start), pageKeys.indexOf(end)]
  if (startIndex < 0 || endIndex < 0) return [end]
  const range = pageKeys.slice(Math.min(startIndex, endIndex), Math.max(startIndex, endIndex) + 1)
  // The clicked row comes last, because the next range starts there.
  return [...range.filter((key) => key !== end), end]
}

/**
 * Called when a selection ends. The bar of the selection disappears, so a focus there moves to the first row. Elsewhere, for example in a row,
 * the focus stays.
 */
export function moveFocusFromBar(): void {
  const { activeElement } = document
  if (activeElement && activeElement !== document.body && !activeElement.closest('.list-bar')) return
  document.querySelector<HTMLElement>('td.pick input')?.focus()
}
