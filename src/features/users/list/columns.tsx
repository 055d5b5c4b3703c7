import type { UserRow } from '#contract/users.ts'
import type { UserStatus } from '#domain/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import type { Column } from '#ui/list/DataList.tsx'
import { Tag, type Tone } from '#ui/display/Tag.tsx'
import type { TFunction } from 'i18next'

const tones: Record<UserStatus, Tone> = { 1: 'positive', 0: 'accent', [-1]: 'neutral', [-2]: 'danger' }
const flags = ['admin', 'order', 'alert'] as const

export const columns = (t: TFunction<'users'>, self: number): Column<OverlaidRow<UserRow>>[] => [
  {
    key: 'name',
    header: t('column.name'),
    sortable: true,
    render: ({ row }) => (row.id === self ? t('nameOfSelf', { name: row.name }) : row.name),
  },
  {
    key: 'email',
    header: t('column.email'),
    sortable: true,
    priority: 2,
    render: ({ row }) => <Email email={row.email} />,
  },
  {
    key: 'title',
    header: t('column.title'),
    sortable: true,
    priority: 3,
    render: ({ row }) => t(`titles.${row.title}`),
  },
  {
    key: 'status',
    header: t('column.status'),
    sortable: true,
    render: ({ row }) => <Tag tone={tones[row.status]}>{t(`status.${row.status}`)}</Tag>,
  },
  { key: 'flags', header: t('column.flags'), priority: 2, render: ({ row }) => <Flags row={row} t={t} /> },
  {
    key: 'update_time',
    header: t('column.updated'),
    sortable: true,
    priority: 3,
    // A row made on this device has no time until the server gave it one.
    render: ({ row }) => <span className="users-time">{row.update_time || t('notYet')}</span>,
  },
]

/** Where there is no room for all of it, the line breaks before the @ and nowhere in a name. */
function Email({ email }: { email: string }) {
  const at = email.lastIndexOf('@')
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  )
}

function Flags({ row, t }: { row: UserRow; t: TFunction<'users'> }) {
  const held = flags.filter((flag) => row[flag])
  if (held.length === 0) return <span className="users-none">{t('noFlags')}</span>
  return (
    <span className="users-flags">
      {held.map((flag) => (
        <Tag key={flag} tone="role">
          {t(`flag.${flag}`)}
        </Tag>
      ))}
    </span>
  )
}
