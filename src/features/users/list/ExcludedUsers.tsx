import type { UserAction } from '#domain/accounts/users.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { SelectedUser } from '#features/users/list/run-bulk-action.ts'

interface ExcludedUsersProps {
  /** Users whom the action excludes. If the reason is an action, the user's status does not allow that action. */
  excludedUsers: readonly {
    user: SelectedUser
    reason: UserAction | 'SELF_FORBIDDEN' | 'LAST_ADMIN' | 'deleted' | 'same'
  }[]
}

export function ExcludedUsers({ excludedUsers }: ExcludedUsersProps) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  if (excludedUsers.length === 0) return null
  return (
    <>
      <h3>{t('many.out', { count: excludedUsers.length, number: formatNumber(excludedUsers.length) })}</h3>
      <ul className="many-list">
        {excludedUsers.map(({ user: { id, name }, reason }) => (
          <li key={id}>
            {name}{' '}
            <span className="field-help">{reason === 'same' ? t('many.roles.same') : tUsers(`reason.${reason}`)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
