import type { TFunction } from 'i18next'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { Tag } from '#ui/display/Tag.tsx'
import type { Column } from '#ui/list/DataList.tsx'
import type { EntryWords } from '#features/audit-trail/entry-words.ts'

/** Contracts 3 and screens, one line for each: what does not fit stands in the details as well. */
export const columns = (t: TFunction<'audit'>, words: EntryWords): Column<AuditEntryRow>[] => [
  {
    key: 'end_time',
    header: t('column.time'),
    sortable: true,
    render: (row) => <span className="trail-time">{row.end_time}</span>,
  },
  { key: 'code', header: t('column.type'), render: (row) => <Line text={words.typeOf(row)} /> },
  {
    key: 'operation',
    header: t('column.operation'),
    render: (row) => <Line text={words.operationOf(row)} />,
  },
  { key: 'exec_user_name', header: t('column.who'), render: (row) => <Line text={words.whoOf(row)} /> },
  { key: 'what', header: t('column.what'), render: (row) => <Line text={words.aboutOf(row)} /> },
  {
    key: 'status',
    header: t('column.status'),
    render: (row) => <Tag tone={row.status === -1 ? 'danger' : 'positive'}>{words.statusOf(row)}</Tag>,
  },
]

const Line = ({ text }: { text: string }) => (
  <span className="trail-line" title={text}>
    {text}
  </span>
)
