/** What a list is made of: its columns, and what can be done with a row. */
import type { ReactNode } from 'react'
import type { IconName } from '#ui/icons/Icon.tsx'

export interface ListColumn<R> {
  /** The field it sorts by, where it sorts. */
  key: string
  header: string
  render: (row: R) => ReactNode
  sortable?: boolean
  /** Numbers and money stand right. */
  align?: 'end'
  /** Of its own, whatever stands in it (list.css); without one it shares what the others leave. `time`: with seconds. */
  width?: 'tag' | 'roles' | 'time' | 'day' | 'code' | 'number' | 'short' | 'money'
  /** What stands in it may take two lines: a name. */
  lines?: 2
  /** 1 always, 2 also on a tablet in portrait, 3 on wide screens only. */
  priority?: 1 | 2 | 3
  /** Where it stands in a row of a phone: first, at the right, or in the line below. Without one a phone does not show it. */
  phone?: 'title' | 'tag' | 'fact'
}

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

export const getColumnClass = <R>({ align, priority = 1, width, lines, phone }: ListColumn<R>) =>
  `p${priority}${width ? ` w-${width}` : ''}${align ? ' end' : ''}${lines ? ' lines' : ''}${phone ? ` on-${phone}` : ''}`

/** By what the list can be sorted, and is. */
export interface ListSorting {
  columns: readonly { key: string; header: string; sortable?: boolean }[]
  sort: ListSort
  onSort: (sort: ListSort) => void
}
