import { useId } from 'react'
import { OldValue } from '#features/prices/changes/OldValue.tsx'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { parsePastedCells } from '#features/prices/editor/paste.ts'
import type { PriceTableName } from '#features/prices/price-list-form.ts'

interface Props {
  table: PriceTableName
  rowKey: number
  name: string
  value: string
  label: string
  problemId?: string | undefined
  /** The value before editing, if it was changed. */
  oldValue: string | undefined
  list?: string
  dispatch: (action: PriceFormAction) => void
}

/** Input of one field in a price table. Cells pasted from a spreadsheet fill the fields to the right and below. */
export function Cell({ table, rowKey, name, value, label, problemId, oldValue, list, dispatch }: Props) {
  const isCode = name === 'code'
  const id = useId()
  const isChanged = oldValue !== undefined
  return (
    <>
      <input
        className={`input price-cell ${isCode ? 'code' : 'figure'}`}
        type="text"
        inputMode={isCode ? 'text' : 'decimal'}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={isCode ? 60 : 20}
        data-cell={name}
        data-row={rowKey}
        aria-label={label}
        aria-invalid={problemId ? true : undefined}
        aria-describedby={[problemId, isChanged && id].filter(Boolean).join(' ') || undefined}
        list={list}
        value={value}
        onChange={({ target }) => dispatch({ kind: 'cell', table, key: rowKey, name, value: target.value })}
        onPaste={(event) => {
          const cells = parsePastedCells(event.clipboardData.getData('text/plain'))
          if (!cells) return
          event.preventDefault()
          dispatch({ kind: 'paste', table, key: rowKey, name, cells })
        }}
      />
      {isChanged && (
        <OldValue
          {...{ id, name, label }}
          value={oldValue}
          onUndo={() => dispatch({ kind: 'cell', table, key: rowKey, name, value: oldValue })}
        />
      )}
    </>
  )
}
