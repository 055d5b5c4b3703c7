import { memo, useId } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import { FaultNote } from '#features/prices/faults/FaultNote.tsx'
import { AddedMark, getProblemId, PriceTableHead, RowButton, RowProblems } from '#features/prices/editor/row-parts.tsx'
import type { PriceListChanges, PriceRowChange } from '#features/prices/changes/list-changes.ts'
import { Cell } from '#features/prices/editor/Cell.tsx'
import { useLowEnds } from '#features/prices/editor/useLowEnds.ts'
import { onCellKeys } from '#features/prices/editor/cell-keys.ts'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import {
  priceCurrencies,
  getRangeStarts,
  type RangeRow,
  type TierTableName as Name,
} from '#features/prices/price-list-form.ts'
import { getLowEndText } from '#features/prices/problem-text.ts'
import type { RowTexts } from '#features/prices/editor/usePriceForm.ts'

interface Props {
  name: Name
  rows: readonly RangeRow[]
  problemTexts: RowTexts
  changesByKey: PriceListChanges['rowsByKey']
  note: string
  dispatch: (action: PriceFormAction) => void
}

/** Table of the prices per user of one user mode. A range starts one above the end of the previous one (contracts 5, D82). */
export const TierTable = memo(function TierTable({ name, rows, problemTexts, changesByKey, note, dispatch }: Props) {
  const { t } = useTranslation('prices')
  const rangeStarts = getRangeStarts(rows)
  const { findStart, handlers } = useLowEnds(name, rows, dispatch)
  const add = () => flushSync(() => dispatch({ kind: 'add', table: name }))
  return (
    <div className="price-rows tiers" {...handlers} onKeyDown={(event) => onCellKeys(event, add)}>
      <div role="table" aria-label={t(`section.${name}`)}>
        <PriceTableHead>
          <span role="columnheader" className="figure">
            {t('tier.from')}
          </span>
          <span role="columnheader" className="figure">
            {t('tier.to')}
          </span>
        </PriceTableHead>
        <div role="rowgroup">
          {rows.map((row, index) => (
            <TierRow
              key={row.key}
              {...{ name, row, dispatch }}
              from={rangeStarts[index] ?? null}
              startAboveEnd={findStart(row.key)}
              storedTexts={problemTexts[row.key]}
              change={changesByKey.get(row.key)}
              position={index + 1}
            />
          ))}
        </div>
      </div>
      <div className="price-foot">
        <Button icon="plus" onClick={add}>
          {t('tier.add')}
        </Button>
        <FaultNote>{note}</FaultNote>
      </div>
    </div>
  )
})

interface RowProps extends Omit<Props, 'rows' | 'problemTexts' | 'changesByKey' | 'note'> {
  row: RangeRow
  from: number | null
  position: number
  /** The start of the range if its end is below it. */
  startAboveEnd: number | undefined
  storedTexts: Record<string, string> | undefined
  change: PriceRowChange | undefined
}

const TierRow = memo(function TierRow(props: RowProps) {
  const { name, row, from, position, startAboveEnd, storedTexts, change, dispatch } = props
  const { t } = useTranslation('prices')
  const id = useId()
  const problemTexts = replaceLowEndText(storedTexts, startAboveEnd && getLowEndText(t, { from: startAboveEnd }))
  const rowLabel = from === null ? t('tier.row', { position }) : t('tier.users', { from, to: row.to || '…' })
  const renderCell = (column: 'to' | (typeof priceCurrencies)[number], label: string) => (
    <span key={column} role="cell" className={`cell-${column}`} data-label={label}>
      <Cell
        {...{ table: name, rowKey: row.key, name: column, value: row[column], dispatch }}
        oldValue={change?.oldValues[column]}
        label={t('tier.cell', { column: label, row: rowLabel })}
        problemId={getProblemId(id, problemTexts, column)}
      />
    </span>
  )
  return (
    <div role="row" className={`price-row${from === null ? ' dropped' : ''}${change?.isAdded ? ' added' : ''}`}>
      <span role="cell" className="price-from figure" data-label={t('tier.from')}>
        {from ?? '–'}
        {change?.isAdded && <AddedMark />}
      </span>
      {renderCell('to', t('tier.to'))}
      {priceCurrencies.map((charge) => renderCell(charge, charge.toUpperCase()))}
      <span role="cell" className="price-acts">
        <RowButton icon="remove" onClick={() => dispatch({ kind: 'remove', table: name, key: row.key })}>
          {t('tier.remove', { row: rowLabel })}
        </RowButton>
      </span>
      {problemTexts && <RowProblems id={id} problemTexts={problemTexts} />}
    </div>
  )
})

/** A low end is an error until this row or the one before it is changed, so it follows from the rows and not from the latest check. */
function replaceLowEndText(storedTexts: Record<string, string> | undefined, lowEndText: string | undefined | 0) {
  const { from: _from, ...otherTexts } = storedTexts ?? {}
  const texts = lowEndText ? { to: lowEndText, ...otherTexts } : otherTexts
  return Object.keys(texts).length === 0 ? undefined : texts
}
