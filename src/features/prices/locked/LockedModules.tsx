import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { FaultNote } from '#features/prices/faults/FaultNote.tsx'
import { PriceFigures } from '#features/prices/locked/PriceFigures.tsx'
import type { PriceListValues } from '#features/prices/price-list-form.ts'

interface LockedModulesProps {
  rows: PriceListValues['module']
  namesByCode: ReadonlyMap<string, string>
  /** Reasons why the list could not be confirmed today, by row key. */
  notesByKey: ReadonlyMap<number, string>
}

export const LockedModules = memo(function LockedModules({ rows, namesByCode, notesByKey }: LockedModulesProps) {
  const { t } = useTranslation('prices')
  if (rows.length === 0) return <p className="price-sub">{t('locked.noModules')}</p>
  return (
    <PriceFigures
      name={t('section.module')}
      header={t('module.code')}
      rows={rows.map((row) => ({
        key: row.key,
        label: <ModuleLabel code={row.code} name={namesByCode.get(row.code)} note={notesByKey.get(row.key) ?? ''} />,
        prices: row,
      }))}
    />
  )
})

/** A module that was deleted from the catalogue has only its code. */
function ModuleLabel({ code, name, note }: { code: string; name: string | undefined; note: string }) {
  return (
    <>
      {name ?? code}
      {name !== undefined && <span className="price-locked-code">{code}</span>}
      <FaultNote>{note}</FaultNote>
    </>
  )
}
