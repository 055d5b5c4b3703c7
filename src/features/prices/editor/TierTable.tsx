import { memo, useId } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { FaultNote, RowButton, RowProblems } from '#features/prices/editor/RowParts.tsx'
import { Cell } from '#features/prices/editor/Cell.tsx'
import { onCellKeys } from '#features/prices/editor/cell-keys.ts'
import type { Act } from '#features/prices/editor/form-reducer.ts'
import { charges, fromsOf, type RangeRow, type TierTable as Name } from '#features/prices/price-list-form.ts'
import { wholeOf } from '#features/prices/sent-list.ts'
import type { RowTexts } from '#features/prices/editor/usePriceForm.ts'

interface Props {
  name: Name
  rows: readonly RangeRow[]
  wrong: RowTexts
  locked: boolean
  /** What keeps the list from being confirmed; empty: nothing. */
  note: string
  dispatch: (act: Act) => void
}

const maxUsers = 999_999

/** The prices of a user by range, of one user mode: a range begins one above the one before it (contracts 5, D82). */
export const TierTable = memo(function TierTable({ name, rows, wrong, locked, note, dispatch }: Props) {
  const { t } = useTranslation('prices')
  const froms = fromsOf(rows)
  const last = Math.max(0, ...rows.map(({ to }) => wholeOf(to) ?? 0))
  const add = () => flushSync(() => dispatch({ kind: 'add', table: name }))
  return (
    <div className="price-rows tiers" onKeyDown={(event) => onCellKeys(event, locked ? null : add)}>
      <div role="table" aria-label={t(`section.${name}`)}>
        <div role="rowgroup">
          <div role="row" className="price-head">
            <span role="columnheader" className="figure">
              {t('tier.from')}
            </span>
            <span role="columnheader" className="figure">
              {t('tier.to')}
            </span>
            {charges.map((charge) => (
              <span key={charge} role="columnheader" className="figure">
                {charge.toUpperCase()}
              </span>
            ))}
            <span role="columnheader" aria-label={t('tier.acts')} />
          </div>
        </div>
        <div role="rowgroup">
          {rows.map((row, at) => (
            <TierRow
              key={row.key}
              {...{ name, row, locked, dispatch }}
              from={froms[at] ?? null}
              wrong={wrong[row.key]}
              place={at + 1}
            />
          ))}
        </div>
      </div>
      {!locked && (
        <div className="price-foot">
          <Button icon="plus" onClick={add}>
            {t('tier.add')}
          </Button>
          <FaultNote>{note}</FaultNote>
        </div>
      )}
      {last > 0 && last < maxUsers && (
        <p className="price-note">
          <Icon name="info" size={16} />
          {t('tier.open', { last, next: last + 1 })}
        </p>
      )}
    </div>
  )
})

interface RowProps extends Omit<Props, 'rows' | 'wrong' | 'note'> {
  row: RangeRow
  from: number | null
  place: number
  wrong: Record<string, string> | undefined
}

const TierRow = memo(function TierRow({ name, row, from, place, wrong, locked, dispatch }: RowProps) {
  const { t } = useTranslation('prices')
  const id = useId()
  const about = from === null ? t('tier.row', { place }) : t('tier.users', { from, to: row.to || '…' })
  const cell = (column: 'to' | (typeof charges)[number], label: string) => (
    <span key={column} role="cell" className={`cell-${column}`} data-label={label}>
      <Cell
        {...{ table: name, rowKey: row.key, name: column, value: row[column], locked, dispatch }}
        label={t('tier.cell', { column: label, row: about })}
        wrong={wrong?.[column] ? id : undefined}
        {...(column === 'to' ? { onLeave: () => dispatch({ kind: 'raise', table: name, key: row.key }) } : {})}
      />
    </span>
  )
  return (
    <div role="row" className={from === null ? 'price-row dropped' : 'price-row'}>
      <span role="cell" className="price-from figure" data-label={t('tier.from')}>
        {from ?? '–'}
      </span>
      {cell('to', t('tier.to'))}
      {charges.map((charge) => cell(charge, charge.toUpperCase()))}
      <span role="cell" className="price-acts">
        {!locked && (
          <RowButton icon="remove" onClick={() => dispatch({ kind: 'remove', table: name, key: row.key })}>
            {t('tier.remove', { row: about })}
          </RowButton>
        )}
      </span>
      {wrong && <RowProblems id={id} wrong={wrong} />}
    </div>
  )
})
