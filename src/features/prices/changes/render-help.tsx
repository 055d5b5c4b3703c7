import type { ReactNode } from 'react'
import type { UatBound } from '#domain/fees/annual.ts'
import { formatPriceFieldLabel } from '#ui/i18n/price-field-messages.ts'
import { OldValue } from '#features/prices/changes/OldValue.tsx'

interface HelpOptions {
  name: string
  help: string | undefined
  /** The value before editing, if it was changed. */
  oldValue: string | undefined
  uatBound?: UatBound
  onUndo: (oldValue: string) => void
}

/** Returns the help of a field, with its old value if it was changed. */
export function renderHelp({ name, help, oldValue, uatBound = 'floor', onUndo }: HelpOptions): ReactNode {
  if (oldValue === undefined) return help
  return (
    <>
      {help !== undefined && <span className="price-help">{help}</span>}
      <OldValue
        {...{ name }}
        value={oldValue}
        label={formatPriceFieldLabel(name, uatBound)}
        onUndo={() => onUndo(oldValue)}
      />
    </>
  )
}
