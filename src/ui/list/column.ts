/** What a list is made of: its columns, and what can be done with a row. */
import type { ReactNode } from 'react'
import type { Currency } from '#domain/money.ts'
import type { IconName } from '#ui/icons/Icon.tsx'

interface ColumnBase {
  /** The field it sorts by, where it sorts. */
  key: string
  header: string
  sortable?: boolean
  /** Numbers and money are aligned right; a format says so by itself. */
  align?: 'end'
  /** Its width, whatever its content (table.css); a format has one by itself. Without one it shares what the others leave. */
  width?: ColumnWidth
  /** Its content may take two lines: a name. */
  lines?: 2
  /** 1 always, 2 also on a tablet in portrait, 3 on wide screens only. */
  priority?: 1 | 2 | 3
  /** Its place in a row of a phone; without one a phone does not show it. */
  phone?: PhoneRole
}

/** `time` has seconds. */
type ColumnWidth = 'tag' | 'roles' | 'time' | 'day' | 'code' | 'number' | 'short' | 'money'

/**
 * `overline`: a small line above. `primary`: the name. `tag`: at the right of the name. `secondary`: in the line below. `labelled`: there
 * too, after its header.
 */
type PhoneRole = 'overline' | 'primary' | 'tag' | 'secondary' | 'labelled'

interface CurrencyAmount {
  currency: Currency
  /** With two decimals: "42000.00". */
  amount: string
}

/** How a column shows plain values; null or an empty text is shown as a dash. */
type FormattedColumn<R> =
  | { format: 'text' | 'date' | 'time'; getValue: (row: R) => string | null }
  | { format: 'number'; getValue: (row: R) => number | null }
  | { format: 'currency'; getValue: (row: R) => CurrencyAmount | null }

export type ListColumn<R> = ColumnBase & (FormattedColumn<R> | { format?: never; render: (row: R) => ReactNode })

const formatClasses = { text: '', date: ' w-day', time: ' w-time', number: ' w-number end', currency: ' w-money end' }

export interface RowAction<R> {
  key: string
  label: string
  icon: IconName
  isDestructive?: boolean
  /** With a button of its own, beside the menu: an icon, or its words. */
  directButton?: 'icon' | 'words'
  /** Why not on this row, in words. */
  getDisabledReason?: (row: R) => string | null
  onSelect: (row: R) => void
}

export type ListSort = readonly [field: string, order: 'asc' | 'desc']

export function getColumnClass<R>({ align, priority = 1, width, lines, phone, format }: ListColumn<R>): string {
  const widthClass = width ? ` w-${width}` : formatClasses[format ?? 'text']
  return `p${priority}${widthClass}${align ? ' end' : ''}${lines ? ' lines' : ''}${phone ? ` on-${phone}` : ''}`
}

/** By what the list can be sorted, and is. */
export interface ListSorting {
  columns: readonly { key: string; header: string; sortable?: boolean }[]
  sort: ListSort
  onSort: (sort: ListSort) => void
}
