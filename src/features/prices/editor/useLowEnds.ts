import { type FocusEvent, useRef, useState } from 'react'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { findLowEnds, type RangeRow, type TierTableName } from '#features/prices/price-list-form.ts'

/**
 * Finds the ranges that end before they start, and the handlers of the table. While an end is being typed, "3" on the way to "300" is no
 * error of another range, so only errors from before are shown. An end that was typed is raised when its field is left (contracts 5, T11);
 * the ends of other ranges stay as they were typed.
 */
export function useLowEnds(
  name: TierTableName,
  rows: readonly RangeRow[],
  dispatch: (action: PriceFormAction) => void,
) {
  const lowEnds = findLowEnds(rows)
  const [earlierEnds, setEarlierEnds] = useState<ReadonlyMap<number, number> | null>(null)
  const textAtFocus = useRef('')
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    if (!isRangeEnd(target)) return
    textAtFocus.current = target.value
    setEarlierEnds(lowEnds)
  }
  const onBlur = ({ target }: FocusEvent<HTMLElement>) => {
    if (!isRangeEnd(target)) return
    setEarlierEnds(null)
    if (target.value !== textAtFocus.current)
      dispatch({ kind: 'raise', table: name, key: Number(target.dataset['row']) })
  }
  const findStart = (key: number) => (!earlierEnds || earlierEnds.has(key) ? lowEnds.get(key) : undefined)
  return { findStart, handlers: { onFocus, onBlur } }
}

const isRangeEnd = (element: Element): element is HTMLInputElement =>
  element instanceof HTMLInputElement && element.dataset['cell'] === 'to'
