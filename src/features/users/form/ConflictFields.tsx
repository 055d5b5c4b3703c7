import type { UserRow } from '#contract/users.ts'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { useTranslation } from 'react-i18next'
import { type Difference, differences } from '#features/users/form/user-form.ts'

/** What somebody else made of the user while the form was open. */
export function Conflict({ was, now }: { was: UserRow; now: UserRow }) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const value = ({ field, now }: Difference): string => {
    if (field === 'title') return users(`titles.${now as UserRow['title']}`)
    if (field === 'status') return users(`status.${now as UserRow['status']}`)
    if (field === 'access_level') return t(`levels.${now as UserRow['access_level']}`)
    return typeof now === 'boolean' ? t(now ? 'conflict.on' : 'conflict.off') : String(now)
  }
  const label = (field: Difference['field']) =>
    field === 'status'
      ? users('column.status')
      : field === 'admin' || field === 'order' || field === 'alert'
        ? users(`flag.${field}`)
        : t(`form.${field}`)
  const found = differences(was, now).map((one) => ({ label: label(one.field), now: value(one) }))
  return <ConflictNote title={t('conflict.title')} found={found} />
}
