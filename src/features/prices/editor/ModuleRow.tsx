import { useSortable } from '@dnd-kit/sortable'
import { memo, useId, useState } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { Cell } from '#features/prices/editor/Cell.tsx'
import type { PriceRowChange } from '#features/prices/changes/list-changes.ts'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { priceCurrencies, type PriceModuleRow as Row } from '#features/prices/price-list-form.ts'
import { FaultNote } from '#features/prices/faults/FaultNote.tsx'
import { AddedMark, getProblemId, RowButton, RowProblems } from '#features/prices/editor/row-parts.tsx'

interface Props {
  dispatch: (action: PriceFormAction) => void
  onRemove: (row: Row) => void
  row: Row
  position: number
  name: string | undefined
  /** Reasons why the list cannot be confirmed, or empty. */
  note: string
  isDuplicate: boolean
  problemTexts: Record<string, string> | undefined
  change: PriceRowChange | undefined
  list: string
}

/** Row of a module with its price in each currency. It can be dragged, or moved by typing its position. */
export const ModuleRow = memo(function ModuleRow({
  row,
  position,
  name,
  note,
  isDuplicate,
  problemTexts,
  change,
  list,
  dispatch,
  onRemove,
}: Props) {
  const { t } = useTranslation('prices')
  const id = useId()
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({
    id: row.key,
  })
  const displayName = name ?? (row.code || t('module.row', { position }))
  const rowProblems = isDuplicate ? { ...problemTexts, code: t('wrong.twice') } : problemTexts
  return (
    <div
      ref={setNodeRef}
      role="row"
      aria-rowindex={position + 1}
      className={getRowClass(row, isDragging, change)}
      style={transform ? { transform: `translate3d(0, ${Math.round(transform.y)}px, 0)`, transition } : undefined}
    >
      <span role="cell" className="price-place">
        <button
          ref={setActivatorNodeRef}
          type="button"
          className="price-handle"
          {...attributes}
          {...listeners}
          aria-label={t('module.move', { name: displayName })}
        >
          <Icon name="menu" size={16} />
        </button>
        <PositionField
          position={position}
          label={t('module.placeOf', { name: displayName })}
          onMove={(to) => dispatch({ kind: 'move', key: row.key, to })}
        />
      </span>
      <span role="cell" className="cell-code">
        <Cell
          {...{ table: 'module', rowKey: row.key, name: 'code', value: row.code, dispatch, list }}
          oldValue={change?.oldValues['code']}
          label={t('module.codeOf', { position })}
          problemId={getProblemId(id, rowProblems, 'code')}
        />
        <span className="price-module-name">{note === '' ? name : <FaultNote>{note}</FaultNote>}</span>
        {change?.isAdded && <AddedMark />}
      </span>
      {priceCurrencies.map((charge) => (
        <span key={charge} role="cell" className={`cell-${charge}`} data-label={charge.toUpperCase()}>
          <Cell
            {...{ table: 'module', rowKey: row.key, name: charge, value: row[charge], dispatch }}
            oldValue={change?.oldValues[charge]}
            label={t('tier.cell', { column: charge.toUpperCase(), row: displayName })}
            problemId={getProblemId(id, rowProblems, charge)}
          />
        </span>
      ))}
      <span role="cell" className="price-acts">
        <RowButton icon="remove" onClick={() => onRemove(row)}>
          {t('module.remove', { name: displayName })}
        </RowButton>
      </span>
      {rowProblems && <RowProblems id={id} problemTexts={rowProblems} />}
    </div>
  )
})

/** A row without a code is skipped when the list is saved. */
const getRowClass = ({ code }: Row, isDragging: boolean, change: PriceRowChange | undefined) =>
  `price-row${isDragging ? ' dragged' : ''}${code.trim() === '' ? ' dropped' : ''}${change?.isAdded ? ' added' : ''}`

/** Input for the position. Typing another number moves the row there, even across a thousand rows. */
function PositionField({ position, label, onMove }: { position: number; label: string; onMove: (to: number) => void }) {
  const [typedText, setTypedText] = useState<string | null>(null)
  const moveToTyped = () => {
    const to = Number(typedText)
    if (typedText !== null && Number.isInteger(to) && to > 0 && to !== position) onMove(to - 1)
    setTypedText(null)
  }
  return (
    <input
      className="input price-cell figure"
      inputMode="numeric"
      maxLength={4}
      aria-label={label}
      value={typedText ?? String(position)}
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setTypedText(target.value)}
      onBlur={moveToTyped}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault()
          moveToTyped()
        }
      }}
    />
  )
}
