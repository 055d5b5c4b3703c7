import { lazy, Suspense, useState } from 'react'
import type { ModuleRow } from '#contract/modules.ts'
import type { ClientType } from '#domain/access.ts'
import type { PriceFormAction } from '#features/prices/editor/form-reducer.ts'
import { ModuleRows } from '#features/prices/editor/ModuleRows.tsx'
import { useStableCallback } from '#features/prices/editor/stable-values.ts'
import type { RowTexts } from '#features/prices/editor/usePriceForm.ts'
import type { PriceModuleRow } from '#features/prices/price-list-form.ts'

const RemoveModuleDialog = lazy(async () => ({
  default: (await import('#features/prices/editor/RemoveModuleDialog.tsx')).RemoveModuleDialog,
}))

interface Props {
  type: ClientType
  rows: readonly PriceModuleRow[]
  /** Of the catalogue. */
  modules: readonly ModuleRow[]
  namesByCode: ReadonlyMap<string, string>
  problemTexts: RowTexts
  notesByKey: ReadonlyMap<number, string>
  isLocked: boolean
  dispatch: (action: PriceFormAction) => void
}

/** The modules of a list; before one is removed, what depends on it is asked for (contracts 4). */
export function ModuleTable({ type, rows, modules, namesByCode, dispatch, ...rest }: Props) {
  const [rowToRemove, setRowToRemove] = useState<PriceModuleRow | null>(null)
  const remove = ({ key }: PriceModuleRow) => dispatch({ kind: 'remove', table: 'module', key })
  const onRemove = useStableCallback((row: PriceModuleRow) =>
    isPricedWithout(rows, row) ? remove(row) : setRowToRemove(row),
  )
  return (
    <>
      <ModuleRows {...{ rows, namesByCode, dispatch, onRemove, ...rest }} />
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
}

/** Whether the list prices the same as before without this row: it names nothing, or what another row names too. */
const isPricedWithout = (rows: readonly PriceModuleRow[], { key, code }: PriceModuleRow) =>
  code.trim() === '' || rows.some((other) => other.key !== key && other.code.trim() === code.trim())
