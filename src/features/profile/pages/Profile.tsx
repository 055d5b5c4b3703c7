import '#ui/icons/app-icons.ts'
import '#features/profile/style.css'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import type { UserRow } from '#contract/users.ts'
import { readSingleRow } from '#local/lists/read-row.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { userRead } from '#state/session-slice.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Avatar } from '#ui/display/Avatar.tsx'
import { Button } from '#ui/display/Button.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { Page } from '#ui/page/Page.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { useTranslation } from 'react-i18next'
import { ProfileForm } from '#features/profile/components/ProfileForm.tsx'
import { usePicture } from '#features/profile/components/usePicture.ts'
import { ownUserPath } from '#features/profile/form.ts'
import { readOwnUser } from '#features/profile/slice.ts'

/** The own account: read, and by the address's `edit` changed, so that reload and Back find the same (C-01). */
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
      {/* Not before the device has said what waits: the form is based on it. */}
      {isEditing && ownRow && <ProfileForm overlaidRow={ownRow} onClose={() => setQuery({}, { replace: true })} />}
    </Page>
  )
}

/**
 * As the device has it, waiting changes included; as the session began where it has nothing. Undefined: it has not
 * answered yet.
 */
function useOwnRow(): OverlaidRow<UserRow> | undefined {
  const { user } = useSignedInSession()
  const dispatch = useDispatch()
  useEffect(() => void dispatch(readOwnUser()), [dispatch])
  const cachedRow = useLiveQuery(async () => await readSingleRow<UserRow>(ownUserPath, 'users', user.id), [user.id])
  const newerRow =
    cachedRow && !cachedRow.waiting && cachedRow.row.row_version > user.row_version ? cachedRow.row : null
  // What waited has arrived: the frame shows name and picture too. Not only when the server says it once more, which on a
  // slow line it may not in time.
  useEffect(() => {
    if (!newerRow) return
    dispatch(userRead({ ...user, ...newerRow, id: user.id }))
    void dispatch(readOwnUser())
  }, [newerRow, user, dispatch])
  return cachedRow === null ? { row: user, waiting: null } : cachedRow
}

function ProfileCard({ overlaidRow: { row, waiting } }: { overlaidRow: OverlaidRow<UserRow> }) {
  const { t } = useTranslation('profile')
  const { t: tUsers } = useTranslation('users')
  const picture = usePicture(row.avatar)
  const flags = (['admin', 'order', 'alert'] as const).filter((flag) => row[flag])
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
      </p>
    </section>
  )
}
