import type { TFunction } from 'i18next'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { Tag } from '#ui/display/Tag.tsx'
import type { ListColumn } from '#ui/list/column.ts'
import type { EntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'

/** Columns of contracts 3. A cell has a single line of text; the complete text is in the entry's details. */
export const buildTrailColumns = (
  t: TFunction<'audit'>,
  entryFormatter: EntryFormatter,
): ListColumn<AuditEntryRow>[] => [
  {
    key: 'end_time',
    header: t('column.time'),
    sortable: true,
    width: 'time',
    phone: 'secondary',
    render: (row) => row.end_time,
  },
  {
    key: 'code',
    header: t('column.type'),
    width: 'tag',
    phone: 'primary',
    render: (row) => entryFormatter.formatType(row),
  },
  {
    key: 'operation',
    header: t('column.operation'),
    width: 'tag',
    phone: 'primary',
    render: (row) => entryFormatter.formatOperation(row),
  },
  {
    key: 'exec_user_name',
    header: t('column.who'),
    phone: 'secondary',
    render: (row) => entryFormatter.formatUser(row),
  },
  { key: 'what', header: t('column.what'), phone: 'secondary', render: (row) => entryFormatter.formatSubject(row) },
  {
    key: 'status',
    header: t('column.status'),
    width: 'tag',
    phone: 'tag',
    render: (row) => <Tag tone={row.status === -1 ? 'danger' : 'positive'}>{entryFormatter.formatStatus(row)}</Tag>,
  },
]
