import { type ComponentType, useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { userListSpec, type UsersView } from '#features/users/view.ts'
import { Invitation } from '#features/users/form/Invitation.tsx'
import { UserForm } from '#features/users/form/UserForm.tsx'
import {
  type UserFormBase,
  newUserFormBase,
  buildFormBase,
  unsavedUserForms,
} from '#features/users/form/user-form-base.ts'
import { fetchUser } from '#features/users/form/save-user.ts'
import { readRow } from '#local/lists/read-row.ts'
import { readEntries } from '#local/outbox/read-entries.ts'
import { useConnection, useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

interface UserDrawerProps {
  ExtraSections: ComponentType<{ id: number; name: string }>
  open: UsersView['open']
  onClose: () => void
  onSaved: () => void
}

/** What the address opens: a form for a new user, for one of the rows, or word that there is none. */
export function UserDrawer({ open, ...props }: UserDrawerProps) {
  return open === null ? null : <OpenedForm key={String(open)} open={open} {...props} />
}

/** A form whose user had to sign in again goes on where it was. */
function OpenedForm({ open, ...props }: UserDrawerProps & { open: NonNullable<UsersView['open']> }) {
  const restoredBase = unsavedUserForms.useUnsavedForm(String(open))
  if (restoredBase) return <UserForm formBase={restoredBase} formKey={String(open)} {...props} />
  return open === 'new' ? (
    <UserForm formBase={newUserFormBase} formKey="new" {...props} />
  ) : (
    <ExistingUser id={open} {...props} />
  )
}

function ExistingUser({
  id,
  ...props
}: Omit<UserDrawerProps, 'open'> & { id: Exclude<UsersView['open'], 'new' | null> }) {
  const { t } = useTranslation('people')
  const formBase = useFormBase(id)
  if (formBase === undefined) return null
  if (typeof formBase !== 'string') {
    const note = formBase.base?.row.status === userStatus.deactivated && <Invitation userRow={formBase.base.row} />
    return <UserForm formBase={formBase} formKey={String(id)} note={note} {...props} />
  }
  return (
    <Dialog open side="right" title={t(`missing.${formBase}.title`)} onClose={props.onClose}>
      <p>{t(`missing.${formBase}.text`)}</p>
    </Dialog>
  )
}

type MissingReason = 'unknown' | 'notHere'

/**
 * The row as it stood when the drawer opened, and from then on that one: what comes in meanwhile must not change a form
 * under its user's hands. A row that this device does not have is asked for, and once more when the line is back.
 * Undefined: not known yet.
 */
function useFormBase(id: Exclude<UsersView['open'], 'new' | null>): UserFormBase | MissingReason | undefined {
  const { user } = useSignedInSession()
  const { networkState: connection } = useConnection()
  const dispatch = useDispatch()
  const [formBase, setFormBase] = useState<UserFormBase>()
  const [missingReason, setMissingReason] = useState<MissingReason>()
  const cachedBase = useLiveQuery(async () => {
    const overlaidRow = await readRow<UserRow>(userListSpec.table, id)
    return overlaidRow && buildFormBase(overlaidRow, await readEntries())
  }, [id])
  useEffect(() => {
    if (formBase || cachedBase === undefined) return
    if (cachedBase) return setFormBase(cachedBase)
    let isActive = true
    void dispatch(fetchUser(id)).then((result) => {
      if (!isActive) return
      const row = 'output' in result ? result.output : null
      if (row?.company_id === user.company_id) setFormBase(buildFormBase({ row, waiting: null }, []))
      else setMissingReason(row || (result.kind === 'problem' && result.problem.status === 404) ? 'unknown' : 'notHere')
    })
    return () => void (isActive = false)
    // The line is not used: its coming back is the reason.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [formBase, cachedBase, id, dispatch, user.company_id, connection])
  return formBase ?? missingReason
}
