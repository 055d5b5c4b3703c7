import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { parsePastedCells } from '#features/prices/editor/paste.ts'
import type { PriceTableName } from '#features/prices/price-list-form.ts'

interface Props {
  table: PriceTableName
  /** Of the row. */
  rowKey: number
  name: string
  value: string
  /** For readers: what the column and the row are. */
  label: string
  /** Id of the words that say what is wrong with the row. */
  problemId?: string | undefined
  isLocked: boolean
  list?: string
  dispatch: (action: PriceFormAction) => void
  onLeave?: () => void
}

/** One field of a table of prices. What comes from a spreadsheet goes on to the right and down from it. */
export function Cell({ table, rowKey, name, value, label, problemId, isLocked, list, dispatch, onLeave }: Props) {
  const isCode = name === 'code'
  return (
    <input
      className={`input price-cell ${isCode ? 'code' : 'figure'}`}
      type="text"
      inputMode={isCode ? 'text' : 'decimal'}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={isCode ? 60 : 20}
      data-cell={name}
      aria-label={label}
      aria-invalid={problemId ? true : undefined}
      aria-describedby={problemId}
      readOnly={isLocked}
      list={list}
      value={value}
      onChange={({ target }) => dispatch({ kind: 'cell', table, key: rowKey, name, value: target.value })}
      onPaste={(event) => {
        const cells = parsePastedCells(event.clipboardData.getData('text/plain'))
        if (!cells || isLocked) return
        event.preventDefault()
        dispatch({ kind: 'paste', table, key: rowKey, name, cells })
      }}
      onBlur={onLeave}
    />
  )
}
