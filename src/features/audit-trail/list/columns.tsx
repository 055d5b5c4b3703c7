import type { TFunction } from 'i18next'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { Tag } from '#ui/display/Tag.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'
import type { ListColumn } from '#ui/list/column.ts'
import { BusinessTime } from '#ui/page/BusinessTime.tsx'
import { removeIsolates } from '#features/audit-trail/sentence/isolated-text.ts'
import { Sentence } from '#features/audit-trail/sentence/Sentence.tsx'
import type { EntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'

/**
 * Columns of contracts 3 in one sentence (decision 106). The person has a column, so the sentence begins with the verb. A cell has a single
 * line of text; the complete text is in the entry's details.
 */
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
    render: (row) => <BusinessTime time={row.end_time} />,
  },
  {
    key: 'what',
    header: t('column.what'),
    phone: 'primary',
    render: (row) => {
      const text = entryFormatter.formatSentence(row, false)
      return (
        <span className="trail-sentence" title={removeIsolates(text)}>
          <Sentence text={text} />
        </span>
      )
    },
  },
  {
    key: 'exec_user_name',
    header: t('column.who'),
    width: 'roles',
    phone: 'secondary',
    render: (row) => {
      const userName = entryFormatter.formatUser(row)
      return <bdi lang={getNameLang(userName)}>{userName}</bdi>
    },
  },
  {
    key: 'status',
    header: t('column.status'),
    width: 'tag',
    phone: 'tag',
    render: (row) => <Tag tone={row.status === -1 ? 'danger' : 'positive'}>{entryFormatter.formatStatus(row)}</Tag>,
  },
]
