import { useSortable } from '@dnd-kit/sortable'
import { memo, useId, useState } from 'react'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { Cell } from '#features/prices/editor/Cell.tsx'
import type { Act } from '#features/prices/editor/form-reducer.ts'
import { charges, type ModuleRow as Row } from '#features/prices/price-list-form.ts'
import { FaultNote, RowButton, RowProblems } from '#features/prices/editor/RowParts.tsx'

interface Props {
  locked: boolean
  dispatch: (act: Act) => void
  onRemove: (row: Row) => void
  row: Row
  place: number
  name: string | undefined
  /** What keeps the list from being confirmed; empty: nothing. */
  note: string
  isTwice: boolean
  wrong: Record<string, string> | undefined
  /** Id of the codes that are suggested. */
  list: string
}

/** A module with its price in each currency, drawn to its place or put there by number. */
export const ModuleRow = memo(function ModuleRow({
  row,
  place,
  name,
  note,
  isTwice,
  wrong,
  list,
  locked,
  dispatch,
  onRemove,
}: Props) {
  const { t } = useTranslation('prices')
  const id = useId()
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({
    id: row.key,
    disabled: locked,
  })
  const called = name ?? (row.code || t('module.row', { place }))
  const said = isTwice ? { ...wrong, code: t('wrong.twice') } : wrong
  return (
    <div
      ref={setNodeRef}
      role="row"
      aria-rowindex={place + 1}
      className={`price-row${isDragging ? ' dragged' : ''}${row.code.trim() === '' ? ' dropped' : ''}`}
      style={transform ? { transform: `translate3d(0, ${Math.round(transform.y)}px, 0)`, transition } : undefined}
    >
      <span role="cell" className="price-place">
        {!locked && (
          <button
            ref={setActivatorNodeRef}
            type="button"
            className="price-handle"
            {...attributes}
            {...listeners}
            aria-label={t('module.move', { name: called })}
          >
            <Icon name="menu" size={16} />
          </button>
        )}
        <Place
          {...{ place, locked }}
          label={t('module.placeOf', { name: called })}
          onMove={(to) => dispatch({ kind: 'move', key: row.key, to })}
        />
      </span>
      <span role="cell" className="cell-code">
        <Cell
          {...{ table: 'module', rowKey: row.key, name: 'code', value: row.code, locked, dispatch, list }}
          label={t('module.codeOf', { place })}
          wrong={said?.['code'] ? id : undefined}
        />
        <span className="price-module-name">{note === '' ? name : <FaultNote>{note}</FaultNote>}</span>
      </span>
      {charges.map((charge) => (
        <span key={charge} role="cell" className={`cell-${charge}`} data-label={charge.toUpperCase()}>
          <Cell
            {...{ table: 'module', rowKey: row.key, name: charge, value: row[charge], locked, dispatch }}
            label={t('tier.cell', { column: charge.toUpperCase(), row: called })}
            wrong={said?.[charge] ? id : undefined}
          />
        </span>
      ))}
      <span role="cell" className="price-acts">
        {!locked && (
          <RowButton icon="remove" onClick={() => onRemove(row)}>
            {t('module.remove', { name: called })}
          </RowButton>
        )}
      </span>
      {said && <RowProblems id={id} wrong={said} />}
    </div>
  )
})

/** The place as a number: another one typed moves the row there, over a thousand rows at once. */
function Place({
  place,
  label,
  locked,
  onMove,
}: {
  place: number
  label: string
  locked: boolean
  onMove: (to: number) => void
}) {
  const [typed, setTyped] = useState<string | null>(null)
  const take = () => {
    const to = Number(typed)
    if (typed !== null && Number.isInteger(to) && to > 0 && to !== place) onMove(to - 1)
    setTyped(null)
  }
  return (
    <input
      className="input price-cell figure"
      inputMode="numeric"
      maxLength={4}
      aria-label={label}
      readOnly={locked}
      value={typed ?? String(place)}
      onFocus={({ target }) => target.select()}
      onChange={({ target }) => setTyped(target.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault()
          take()
        }
      }}
    />
  )
}
