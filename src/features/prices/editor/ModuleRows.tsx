import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { lazy, memo, startTransition, Suspense, useEffect, useId, useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ModuleRow as CatalogueRow } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { PriceListChanges } from '#features/prices/changes/list-changes.ts'
import { onCellKeys } from '#features/prices/editor/cell-keys.ts'
import { useDragAnnouncements } from '#features/prices/editor/drag-announcements.ts'
import { FindModule } from '#features/prices/editor/FindModule.tsx'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import type { PriceModuleRow as Row } from '#features/prices/price-list-form.ts'
import { ModuleRow } from '#features/prices/editor/ModuleRow.tsx'
import { PriceTableHead } from '#features/prices/editor/row-parts.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import type { RowTexts } from '#features/prices/editor/usePriceForm.ts'

const RemoveModuleDialog = lazy(async () => ({
  default: (await import('#features/prices/editor/RemoveModuleDialog.tsx')).RemoveModuleDialog,
}))

interface Props {
  type: ClientType
  rows: readonly Row[]
  modules: readonly CatalogueRow[]
  namesByCode: ReadonlyMap<string, string>
  problemTexts: RowTexts
  notesByKey: ReadonlyMap<number, string>
  changesByKey: PriceListChanges['rowsByKey']
  dispatch: (action: PriceFormAction) => void
}

/** Number of rows rendered per batch. Typing need not wait until a thousand rows are rendered. */
const rowsPerRender = 60

/** Constants, because dnd-kit renders all rows again if it gets new objects. */
const pointerOptions = { activationConstraint: { distance: 4 } }
const keyboardOptions = { coordinateGetter: sortableKeyboardCoordinates }

/**
 * Table of the modules, in the order in which customers see them. Rows are dragged, moved by keyboard or by a typed position. Before a row
 * is removed, a dialog shows the modules that depend on it (contracts 4).
 */
export const ModuleRows = memo(function ModuleRows({
  type,
  rows,
  modules,
  namesByCode,
  problemTexts,
  notesByKey,
  changesByKey,
  dispatch,
}: Props) {
  const { t } = useTranslation('prices')
  const list = useId()
  const [rowToRemove, setRowToRemove] = useState<Row | null>(null)
  const remove = ({ key }: Row) => dispatch({ kind: 'remove', table: 'module', key })
  const onRemove = useLatestCallback((row: Row) => (isPricedWithout(rows, row) ? remove(row) : setRowToRemove(row)))
  const renderedCount = useRenderedCount(rows.length)
  const keys = useKeys(rows)
  const duplicateCodes = useMemo(() => findDuplicateCodes(rows), [rows])
  const sensors = useSensors(useSensor(PointerSensor, pointerOptions), useSensor(KeyboardSensor, keyboardOptions))
  const accessibility = useDragAnnouncements(rows)
  const add = () => flushSync(() => dispatch({ kind: 'add', table: 'module' }))
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    if (over && active.id !== over.id)
      dispatch({ kind: 'move', key: Number(active.id), to: keys.indexOf(Number(over.id)) })
  }
  return (
    <>
      {rows.length > 20 && <FindModule rows={rows} namesByCode={namesByCode} />}
      <div className="price-rows modules" onKeyDown={(event) => onCellKeys(event, add)}>
        <DndContext {...{ sensors, accessibility, onDragEnd }} collisionDetection={closestCenter}>
          <div role="table" aria-label={t('section.module')} aria-rowcount={rows.length + 1}>
            <PriceTableHead>
              <span role="columnheader">{t('module.place')}</span>
              <span role="columnheader">{t('module.code')}</span>
            </PriceTableHead>
            <SortableContext items={keys as number[]} strategy={verticalListSortingStrategy}>
              <div role="rowgroup">
                {rows.slice(0, renderedCount).map((row, index) => (
                  <ModuleRow
                    key={row.key}
                    {...{ row, list, dispatch, onRemove }}
                    position={index + 1}
                    name={namesByCode.get(row.code.trim())}
                    note={notesByKey.get(row.key) ?? ''}
                    isDuplicate={duplicateCodes.has(row.code.trim())}
                    problemTexts={problemTexts[row.key]}
                    change={changesByKey.get(row.key)}
                  />
                ))}
              </div>
            </SortableContext>
          </div>
        </DndContext>
        <div className="price-foot">
          <Button
            icon="plus"
            onClick={(event) => {
              const tableElement = event.currentTarget.closest('.modules')
              add()
              tableElement?.querySelector<HTMLInputElement>('[role=row]:last-child [data-cell=code]')?.focus()
            }}
          >
            {t('module.add')}
          </Button>
        </div>
        <Suggestions id={list} namesByCode={namesByCode} />
      </div>
      <Suspense fallback={null}>
        {rowToRemove && (
          <RemoveModuleDialog
            {...{ type, modules }}
            code={rowToRemove.code.trim()}
            name={namesByCode.get(rowToRemove.code.trim()) ?? rowToRemove.code}
            onClose={() => setRowToRemove(null)}
            onRemove={() => {
              remove(rowToRemove)
              setRowToRemove(null)
            }}
          />
        )}
      </Suspense>
    </>
  )
})

/** Returns whether removing this row leaves all prices unchanged: its code is empty or also in another row. */
const isPricedWithout = (rows: readonly Row[], { key, code }: Row) =>
  code.trim() === '' || rows.some((other) => other.key !== key && other.code.trim() === code.trim())

const Suggestions = memo(function Suggestions({
  id,
  namesByCode,
}: {
  id: string
  namesByCode: ReadonlyMap<string, string>
}) {
  return (
    <datalist id={id}>
      {[...namesByCode].map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </datalist>
  )
})

/**
 * Returns the number of rendered rows. It grows in batches until all rows are rendered; rows that are added later are rendered immediately.
 */
function useRenderedCount(rowCount: number): number {
  const [count, setCount] = useState(rowCount > rowsPerRender ? rowsPerRender : Number.POSITIVE_INFINITY)
  useEffect(() => {
    if (count === Number.POSITIVE_INFINITY) return
    const next = count + rowsPerRender < rowCount ? count + rowsPerRender : Number.POSITIVE_INFINITY
    const timer = setTimeout(() => startTransition(() => setCount(next)))
    return () => clearTimeout(timer)
  }, [count, rowCount])
  return count
}

/** Returns the same array until the order changes, so that typing does not render other rows again. */
function useKeys(rows: readonly Row[]): readonly number[] {
  const order = rows.map(({ key }) => key).join()
  return useMemo(() => (order === '' ? [] : order.split(',').map(Number)), [order])
}

function findDuplicateCodes(rows: readonly Row[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const duplicateCodes = new Set<string>()
  for (const { code } of rows) {
    const trimmedCode = code.trim()
    if (trimmedCode !== '' && seen.has(trimmedCode)) duplicateCodes.add(trimmedCode)
    seen.add(trimmedCode)
  }
  return duplicateCodes
}
