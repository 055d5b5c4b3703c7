import '#ui/icons/app-icons.ts'
import '#features/profile/style.css'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import type { UserRow } from '#contract/users.ts'
import { readSingle } from '#local/lists/read-row.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { userRead } from '#state/session-slice.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Avatar } from '#ui/display/Avatar.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { Page } from '#ui/page/Page.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { useTranslation } from 'react-i18next'
import { ProfileForm } from '#features/profile/components/ProfileForm.tsx'
import { usePicture } from '#features/profile/components/usePicture.ts'
import { ownPath } from '#features/profile/form.ts'
import { readOwn } from '#features/profile/slice.ts'

/** The own account: read, and by the address's `edit` changed, so that reload and Back find the same (C-01). */
export function Profile() {
  const { t } = useTranslation('profile')
  const [query, setQuery] = useSearchParams()
  const own = useOwn()
  const { user } = useSignedIn()
  const editing = query.has('edit')
  const action = !editing && (
    <Button kind="primary" icon="edit" onClick={() => setQuery({ edit: '1' })}>
      {t('edit')}
    </Button>
  )
  return (
    <Page title={t(editing ? 'editTitle' : 'title')} intro={t('lead')} action={action} width="narrow">
      {!editing && <Own shown={own ?? { row: user, waiting: null }} />}
      {/* Not before the device has said what waits: the form is based on it. */}
      {editing && own && <ProfileForm shown={own} onClose={() => setQuery({}, { replace: true })} />}
    </Page>
  )
}

/**
 * As the device has it, waiting changes included; as the session began where it has nothing. Undefined: it has not
 * answered yet.
 */
function useOwn(): OverlaidRow<UserRow> | undefined {
  const { user } = useSignedIn()
  const dispatch = useDispatch()
  useEffect(() => void dispatch(readOwn()), [dispatch])
  const here = useLiveQuery(async () => await readSingle<UserRow>(ownPath, 'users', user.id), [user.id])
  const arrived = here && !here.waiting && here.row.row_version > user.row_version ? here.row : null
  // What waited has arrived: the frame shows name and picture too. Not only when the server says it once more, which on a
  // slow line it may not in time.
  useEffect(() => {
    if (!arrived) return
    dispatch(userRead({ ...user, ...arrived, id: user.id }))
    void dispatch(readOwn())
  }, [arrived, user, dispatch])
  return here === null ? { row: user, waiting: null } : here
}

function Own({ shown: { row, waiting } }: { shown: OverlaidRow<UserRow> }) {
  const { t } = useTranslation('profile')
  const { t: users } = useTranslation('users')
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
      <Facts>
        <Fact label={t('field.title')}>{users(`titles.${row.title}`)}</Fact>
        <Fact label={t('field.email')}>{row.email}</Fact>
        <Fact label={t('field.company')}>
          {row.company_name} <code>{row.company_code}</code>
        </Fact>
        <Fact label={t('field.roles')}>{flags.map((flag) => users(`flag.${flag}`)).join(' · ') || t('noRoles')}</Fact>
      </Facts>
      <p className="profile-ways">
        <Link to="/app/profile/password">{t('changePassword')}</Link>
        <Link to="/app/profile/security">{t('security.title')}</Link>
        <Link to="/app/profile/sessions">{t('sessions.title')}</Link>
      </p>
    </section>
  )
}
