import { memo, useId } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { FaultNote, getProblemId, PriceTableHead, RowButton, RowProblems } from '#features/prices/editor/row-parts.tsx'
import { Cell } from '#features/prices/editor/Cell.tsx'
import { onCellKeys } from '#features/prices/editor/cell-keys.ts'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import {
  priceCurrencies,
  getRangeStarts,
  type RangeRow,
  type TierTableName as Name,
} from '#features/prices/price-list-form.ts'
import { parseWholeNumber } from '#features/prices/sent-list.ts'
import type { RowTexts } from '#features/prices/editor/usePriceForm.ts'

interface Props {
  name: Name
  rows: readonly RangeRow[]
  problemTexts: RowTexts
  isLocked: boolean
  note: string
  dispatch: (action: PriceFormAction) => void
}

const maxUsers = 999_999

/** Table of the prices per user of one user mode. A range starts one above the end of the previous one (contracts 5, D82). */
export const TierTable = memo(function TierTable({ name, rows, problemTexts, isLocked, note, dispatch }: Props) {
  const { t } = useTranslation('prices')
  const rangeStarts = getRangeStarts(rows)
  const lastUsers = Math.max(0, ...rows.map(({ to }) => parseWholeNumber(to) ?? 0))
  const add = () => flushSync(() => dispatch({ kind: 'add', table: name }))
  return (
    <div className="price-rows tiers" onKeyDown={(event) => onCellKeys(event, isLocked ? null : add)}>
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
              {...{ name, row, isLocked, dispatch }}
              from={rangeStarts[index] ?? null}
              problemTexts={problemTexts[row.key]}
              position={index + 1}
            />
          ))}
        </div>
      </div>
      {!isLocked && (
        <div className="price-foot">
          <Button icon="plus" onClick={add}>
            {t('tier.add')}
          </Button>
          <FaultNote>{note}</FaultNote>
        </div>
      )}
      {lastUsers > 0 && lastUsers < maxUsers && (
        <p className="price-note">
          <Icon name="info" size={16} />
          {t('tier.open', { last: formatNumber(lastUsers), next: formatNumber(lastUsers + 1) })}
        </p>
      )}
    </div>
  )
})

interface RowProps extends Omit<Props, 'rows' | 'problemTexts' | 'note'> {
  row: RangeRow
  from: number | null
  position: number
  problemTexts: Record<string, string> | undefined
}

const TierRow = memo(function TierRow({ name, row, from, position, problemTexts, isLocked, dispatch }: RowProps) {
  const { t } = useTranslation('prices')
  const id = useId()
  const rowLabel = from === null ? t('tier.row', { position }) : t('tier.users', { from, to: row.to || '…' })
  const renderCell = (column: 'to' | (typeof priceCurrencies)[number], label: string) => (
    <span key={column} role="cell" className={`cell-${column}`} data-label={label}>
      <Cell
        {...{ table: name, rowKey: row.key, name: column, value: row[column], isLocked, dispatch }}
        label={t('tier.cell', { column: label, row: rowLabel })}
        problemId={getProblemId(id, problemTexts, column)}
        {...(column === 'to' ? { onLeave: () => dispatch({ kind: 'raise', table: name, key: row.key }) } : {})}
      />
    </span>
  )
  return (
    <div role="row" className={from === null ? 'price-row dropped' : 'price-row'}>
      <span role="cell" className="price-from figure" data-label={t('tier.from')}>
        {from ?? '–'}
      </span>
      {renderCell('to', t('tier.to'))}
      {priceCurrencies.map((charge) => renderCell(charge, charge.toUpperCase()))}
      <span role="cell" className="price-acts">
        {!isLocked && (
          <RowButton icon="remove" onClick={() => dispatch({ kind: 'remove', table: name, key: row.key })}>
            {t('tier.remove', { row: rowLabel })}
          </RowButton>
        )}
      </span>
      {problemTexts && <RowProblems id={id} problemTexts={problemTexts} />}
    </div>
  )
})
