import type { ReactNode } from 'react'
import type { Currency } from '#domain/money.ts'
import type { IconName } from '#ui/icons/Icon.tsx'

interface ColumnBase {
  key: string
  header: string
  sortable?: boolean
  /** Aligns numbers and money at the end of the cell. A `format` sets it automatically. */
  align?: 'end'
  /** Fixed width (table.css). A `format` sets it automatically. Columns without a width share the remaining space. */
  width?: ColumnWidth
  /** Allows two lines, for names. */
  lines?: 2
  /** Shown below the first column on tablets in portrait, where its own column would be too narrow. Its `exportText` or else its content is this text. */
  isUnderFirst?: true
  /** Importance of the column. 1: always displayed. 2: from tablets in portrait on. 3: only on wide screens. */
  priority?: 1 | 2 | 3
  /** Role in a phone row. Columns without a role are not displayed on phones. */
  phone?: PhoneRole
}

interface ColumnExport<R> {
  /** Text in an exported file. A column with `format` has one without it. */
  exportText?: (row: R) => string
}

/** Names of column widths. `time` has space for seconds. */
type ColumnWidth = 'name' | 'tag' | 'roles' | 'time' | 'day' | 'code' | 'number' | 'short' | 'money'

/** Roles in a phone row: `overline` is above the name, `tag` right of it, `secondary` and `labelled` (with its header) below it. */
type PhoneRole = 'overline' | 'primary' | 'tag' | 'secondary' | 'labelled'

interface CurrencyAmount {
  currency: Currency
  /** Amount with two decimals: "42000.00". */
  amount: string
}

/** Format of plain values. Null or an empty text is displayed as a dash. */
type FormattedColumn<R> =
  | { format: 'text' | 'date' | 'time'; getValue: (row: R) => string | null }
  | { format: 'number'; getValue: (row: R) => number | null }
  | { format: 'currency'; getValue: (row: R) => CurrencyAmount | null }

export type ListColumn<R> = ColumnBase &
  ColumnExport<R> &
  (FormattedColumn<R> | { format?: never; render: (row: R) => ReactNode })

const formatClasses = { text: '', date: ' w-day', time: ' w-time', number: ' w-number end', currency: ' w-money end' }

export interface RowAction<R> {
  key: string
  label: string
  icon: IconName
  isDestructive?: boolean
  /** The action opens a dialog or a drawer, which its button announces. */
  hasDialog?: boolean
  /** Adds a separate button next to the menu, with an icon or with text. */
  directButton?: 'icon' | 'words'
  /** Shows the button with text on phones too, 64 x 44. */
  isOnPhone?: boolean
  getDisabledReason?: (row: R) => string | null
  onSelect: (row: R) => void
}

export type ListSort = readonly [field: string, order: 'asc' | 'desc']

export function getColumnClass<R>({
  align,
  priority = 1,
  width,
  lines,
  phone,
  isUnderFirst,
  format,
}: ListColumn<R>): string {
  const widthClass = width ? ` w-${width}` : formatClasses[format ?? 'text']
  return `p${priority}${widthClass}${align ? ' end' : ''}${lines ? ' lines' : ''}${phone ? ` on-${phone}` : ''}${isUnderFirst ? ' under' : ''}`
}

export interface ListSorting {
  columns: readonly { key: string; header: string; sortable?: boolean }[]
  sort: ListSort
  onSort: (sort: ListSort) => void
}
