import { useMemo } from 'react'
import type { CatalogueModule } from '#domain/catalogue/unmet-needs.ts'
import { useTranslation } from 'react-i18next'
import { useDebouncedValue } from '#features/prices/useDebouncedValue.ts'
import { buildFaultNotes, findFormFaults } from '#features/prices/faults/list-faults.ts'
import type { PriceListValues } from '#features/prices/price-list-form.ts'
import { type PriceFormContext, readForm } from '#features/prices/sent-list.ts'

/** Checks the list after typing pauses. `isUsable`: this device knows no reason why customers could not order with the list. */
export function useListFaults(
  values: PriceListValues,
  formContext: PriceFormContext,
  catalogue: readonly CatalogueModule[] | null,
  { isNew, isDirty }: { isNew: boolean; isDirty: boolean },
) {
  const { t } = useTranslation('prices')
  // A new list lacks everything, which is no fault until the user starts.
  const isUntouched = isNew && !isDirty
  const settledValues = useDebouncedValue(values)
  const typedList = useMemo(() => readForm(settledValues, formContext), [settledValues, formContext])
  const faults = useMemo(() => findFormFaults(typedList, catalogue), [typedList, catalogue])
  const notes = useMemo(() => buildFaultNotes(t, isUntouched ? [] : faults), [t, faults, isUntouched])
  return { typedList, faults, notes, isUsable: faults.every(({ isWarning }) => isWarning), isUntouched }
}
