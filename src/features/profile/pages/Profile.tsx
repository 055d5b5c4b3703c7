import '#ui/icons/app-icons.ts'
import '#features/profile/style.css'
import { type RefObject, useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router-dom'
import { getUser } from '#contract/accounts.ts'
import type { UserRow } from '#contract/users.ts'
import { userFlags } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { AccountPage } from '#patterns/AccountPage.tsx'
import { useDispatch, useSignedInSession } from '#state/use-store.ts'
import { userRead } from '#state/session-slice.ts'
import { useRecord } from '#state/use-record.ts'
import { Avatar } from '#ui/display/Avatar.tsx'
import { Button } from '#ui/display/Button.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { PendingMark } from '#ui/list/PendingMark.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { ProfileForm } from '#features/profile/components/ProfileForm.tsx'
import { usePicture } from '#features/profile/components/usePicture.ts'
import { readOwnUser } from '#features/profile/save-profile.ts'

/**
 * The tab "Profile" of My account. `edit` in the address opens the form at the place of the name, so that a reload and Back show the same
 * (C-01).
 */
export function Profile() {
  const [query, setQuery] = useSearchParams()
  const ownRow = useOwnRow()
  const { user } = useSignedInSession()
  const isEditing = query.has('edit')
  const editButtonRef = useFocusAfter(isEditing)
  const overlaidRow = ownRow ?? { row: user, waiting: null }
  return (
    <AccountPage tab="profile">
      <section className="card profile">
        {/* The form is rendered only after the waiting writes were read, because it is based on them. */}
        {isEditing && !ownRow ? (
          <Skeleton lines={8} />
        ) : (
          <>
            {isEditing && ownRow ? (
              <ProfileForm overlaidRow={ownRow} onClose={() => setQuery({}, { replace: true })} />
            ) : (
              <ProfileHead {...{ overlaidRow, editButtonRef }} onEdit={() => setQuery({ edit: '1' })} />
            )}
            <ProfileFacts row={overlaidRow.row} />
          </>
        )}
      </section>
    </AccountPage>
  )
}

/** Returns a ref of the button that gets the focus back when the form that it opened is closed. */
function useFocusAfter(isOpen: boolean) {
  const buttonRef = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (wasOpen.current && !isOpen) buttonRef.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  return buttonRef
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

interface ProfileHeadProps {
  overlaidRow: OverlaidRow<UserRow>
  editButtonRef: RefObject<HTMLButtonElement | null>
  onEdit: () => void
}

function ProfileHead({ overlaidRow: { row, waiting }, editButtonRef, onEdit }: ProfileHeadProps) {
  const { t } = useTranslation('profile')
  const picture = usePicture(row.avatar)
  return (
    <div className="profile-head">
      <Avatar name={row.name} src={picture} />
      <div>
        <p className="profile-name">{row.name}</p>
        <Button kind="plain" icon="edit" ref={editButtonRef} onClick={onEdit}>
          {t('edit')}
        </Button>
        {waiting && <PendingMark {...waiting} />}
      </div>
    </div>
  )
}

function ProfileFacts({ row }: { row: UserRow }) {
  const { t } = useTranslation('profile')
  const { t: tUsers } = useTranslation('users')
  const flags = userFlags.filter((flag) => row[flag])
  return (
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
  )
}
