import type { UserRow } from '#contract/users.ts'
import { useWords } from '#ui/words.ts'
import { type Difference, differences } from '#features/users/form.ts'

/** What somebody else made of the user while the form was open. */
export function Conflict({ was, now }: { was: UserRow; now: UserRow }) {
  const t = useWords('users')
  const value = ({ field, now }: Difference): string => {
    if (field === 'title') return t(`titles.${now as UserRow['title']}`)
    if (field === 'status') return t(`status.${now as UserRow['status']}`)
    if (field === 'access_level') return t(`levels.${now as UserRow['access_level']}`)
    return typeof now === 'boolean' ? t(now ? 'conflict.on' : 'conflict.off') : String(now)
  }
  const label = (field: Difference['field']) =>
    field === 'status'
      ? t('column.status')
      : field === 'admin' || field === 'order' || field === 'alert'
        ? t(`flag.${field}`)
        : t(`form.${field}`)
  const found = differences(was, now)
  return (
    <div className="user-conflict" role="alert">
      <strong>{t('conflict.title')}</strong>
      {found.length > 0 && (
        <ul>
          {found.map((one) => (
            <li key={one.field}>{t('conflict.value', { field: label(one.field), value: value(one) })}</li>
          ))}
        </ul>
      )}
      <p>{t('conflict.text')}</p>
    </div>
  )
}
