import type { UserRow } from '#contract/users.ts'
import { ConflictNote } from '#ui/form/ConflictNote.tsx'
import { useTranslation } from 'react-i18next'
import { type UserDifference, listDifferences } from '#features/users/form/user-form.ts'

/** What somebody else made of the user while the form was open. */
export function ConflictFields({ previousRow, currentRow }: { previousRow: UserRow; currentRow: UserRow }) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const formatValue = ({ field, currentValue }: UserDifference): string => {
    if (field === 'title') return tUsers(`titles.${currentValue as UserRow['title']}`)
    if (field === 'status') return tUsers(`status.${currentValue as UserRow['status']}`)
    if (field === 'access_level') return t(`levels.${currentValue as UserRow['access_level']}`)
    return typeof currentValue === 'boolean' ? t(currentValue ? 'conflict.on' : 'conflict.off') : String(currentValue)
  }
  const toLabel = (field: UserDifference['field']) =>
    field === 'status'
      ? tUsers('column.status')
      : field === 'admin' || field === 'order' || field === 'alert'
        ? tUsers(`flag.${field}`)
        : t(`form.${field}`)
  const conflictFields = listDifferences(previousRow, currentRow).map((difference) => ({
    label: toLabel(difference.field),
    value: formatValue(difference),
  }))
  return <ConflictNote title={t('conflict.title')} differences={conflictFields} />
}
