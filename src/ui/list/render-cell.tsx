import type { ReactNode } from 'react'
import { Amount } from '#ui/display/Amount.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import type { ListColumn } from '#ui/list/column.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { NoValue } from '#ui/list/NoValue.tsx'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'

export function renderCell<R>(column: ListColumn<R>, row: R): ReactNode {
  if (column.format === undefined) return column.render(row)
  if (column.format === 'currency') {
    const value = column.getValue(row)
    return value ? <Amount {...value} /> : <NoValue />
  }
  const value = column.getValue(row)
  if (value === null || value === '') return <NoValue />
  if (typeof value === 'number') return formatNumber(value)
  if (column.format === 'time') return <BusinessTime time={value} />
  if (column.format !== 'text') return value
  return (
    <span title={value} lang={getNameLang(value)}>
      {value}
    </span>
  )
}
