import '#ui/icons/app-icons.ts'
import '#features/profile/style.css'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { getUser } from '#contract/accounts.ts'
import type { UserRow } from '#contract/users.ts'
import { userFlags } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { userRead } from '#state/session-slice.ts'
import { useRecord } from '#state/use-record.ts'
import { Avatar } from '#ui/display/Avatar.tsx'
import { Button } from '#ui/display/Button.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Page } from '#ui/page/Page.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { useTranslation } from 'react-i18next'
import { ProfileForm } from '#features/profile/components/ProfileForm.tsx'
import { usePicture } from '#features/profile/components/usePicture.ts'
import { readOwnUser } from '#features/profile/save-profile.ts'

/** Shows the user's account. `edit` in the address opens its form, so that a reload and Back show the same (C-01). */
export function Profile() {
  const { t } = useTranslation('profile')
  const [query, setQuery] = useSearchParams()
  const ownRow = useOwnRow()
  const { user } = useSignedInSession()
  const isEditing = query.has('edit')
  const action = !isEditing && (
    <Button kind="primary" icon="edit" onClick={() => setQuery({ edit: '1' })}>
      {t('edit')}
    </Button>
  )
  return (
    <Page title={t(isEditing ? 'editTitle' : 'title')} intro={t('lead')} action={action} width="narrow">
      {!isEditing && <ProfileCard overlaidRow={ownRow ?? { row: user, waiting: null }} />}
      {/* Rendered only after the waiting writes were read, because the form is based on them. */}
      {isEditing && ownRow && <ProfileForm overlaidRow={ownRow} onClose={() => setQuery({}, { replace: true })} />}
    </Page>
  )
}

/** Returns the user's row with its waiting changes, or the session's user if the device has no row. Undefined until the device was read. */
function useOwnRow(): OverlaidRow<UserRow> | undefined {
  const { user } = useSignedInSession()
  const dispatch = useDispatch()
  const { record } = useRecord<UserRow>(getUser, {}, { table: 'users', id: user.id })
  const newerRow = record && !record.waiting && record.row.row_version > user.row_version ? record.row : null
  // Shows a saved change in the page header immediately, because the server's response may be slow.
  useEffect(() => {
    if (!newerRow) return
    dispatch(userRead({ ...user, ...newerRow, id: user.id }))
    void dispatch(readOwnUser())
  }, [newerRow, user, dispatch])
  return record === null ? { row: user, waiting: null } : record
}

function ProfileCard({ overlaidRow: { row, waiting } }: { overlaidRow: OverlaidRow<UserRow> }) {
  const { t } = useTranslation('profile')
  const { t: tUsers } = useTranslation('users')
  const picture = usePicture(row.avatar)
  const flags = userFlags.filter((flag) => row[flag])
  return (
    <section className="card profile">
      <div className="profile-head">
        <Avatar name={row.name} src={picture} />
        <div>
          <p className="profile-name">{row.name}</p>
          {waiting && <PendingMark {...waiting} />}
        </div>
      </div>
      <DescriptionList>
        <DescriptionItem label={t('field.title')}>{tUsers(`titles.${row.title}`)}</DescriptionItem>
        <DescriptionItem label={t('field.email')}>{row.email}</DescriptionItem>
        <DescriptionItem label={t('field.company')}>
          {row.company_name} <code>{row.company_code}</code>
        </DescriptionItem>
        <DescriptionItem label={t('field.roles')}>
          {flags.map((flag) => tUsers(`flag.${flag}`)).join(' · ') || t('noRoles')}
        </DescriptionItem>
      </DescriptionList>
      <p className="profile-ways">
        <Link to="/app/profile/password">{t('changePassword')}</Link>
        <Link to="/app/profile/security">{t('security.title')}</Link>
        <Link to="/app/profile/sessions">{t('sessions.title')}</Link>
        <Link to="/app/profile/notifications">{t('notifications')}</Link>
      </p>
    </section>
  )
}
