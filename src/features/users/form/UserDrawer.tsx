import { type ComponentType, useEffect, useState } from 'react'
import { getUser } from '#contract/accounts.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { userListSpec, type UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { DisabledUser } from '#features/users/form/DisabledUser.tsx'
import { Invitation } from '#features/users/form/Invitation.tsx'
import { UserForm } from '#features/users/form/UserForm.tsx'
import { type UserFormBase, newUserFormBase, buildFormBase } from '#features/users/form/user-form-base.ts'
import { toFormName } from '#features/users/form/useUserForm.ts'
import { fromFormValues, type UserFormValues } from '#features/users/form/user-form.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useUnsavedForm } from '#patterns/edit-form/useFormState.ts'
import { readRow } from '#local/lists/read-row.ts'
import { readEntries } from '#local/outbox/read-entries.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch, useSignedInSession } from '#state/use-store.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

interface FormProps {
  ExtraSections: ComponentType<{ id: number; name: string; email: string }>
  onClose: () => void
  onSaved: () => void
}

/** Shows the drawer of the address: a form for a new or existing user, or a note that the user does not exist. */
export function UserDrawer({ open, ...props }: FormProps & { open: RowRef | 'new' }) {
  return open === 'new' ? (
    <UserForm formBase={newUserFormBase} formKey="new" {...props} />
  ) : (
    <ExistingUser key={open} id={open} {...props} />
  )
}

function ExistingUser({ id, ...props }: FormProps & { id: RowRef }) {
  const { t } = useTranslation('people')
  const { formBase, currentRow } = useFormBase(id)
  if (formBase === undefined) return null
  if (typeof formBase !== 'string') {
    return (
      <UserForm
        formBase={formBase}
        formKey={String(id)}
        status={(currentRow ?? formBase.base?.row)?.status}
        renderNote={(row) => <StatusNote row={row} currentRow={currentRow ?? row} onEnabled={props.onSaved} />}
        {...props}
      />
    )
  }
  return (
    <Dialog open side="right" title={t(`missing.${formBase}.title`)} onClose={props.onClose}>
      <p>{t(`missing.${formBase}.text`)}</p>
    </Dialog>
  )
}

interface StatusNoteProps {
  /** The user when the drawer opened, and now. */
  row: UserRow
  currentRow: UserRow
  onEnabled: () => void
}

function StatusNote({ row, currentRow, onEnabled }: StatusNoteProps) {
  if (row.status === userStatus.deactivated) return <Invitation userRow={row} />
  return row.status === userStatus.disabled && <DisabledUser userRow={currentRow} onEnabled={onEnabled} />
}

type MissingReason = 'unknown' | 'notHere'

/**
 * Returns the row as it was when the drawer opened. A newer row must not change the form while the user types. A row that is not on the
 * device is fetched, and again when the connection is back. Undefined until it has been read. `currentRow` follows later changes.
 */
function useFormBase(id: RowRef): {
  formBase: UserFormBase | MissingReason | undefined
  currentRow?: UserRow | undefined
} {
  const { user } = useSignedInSession()
  const { networkState: connection } = useConnection()
  const dispatch = useDispatch()
  const unsavedForm = useUnsavedForm<UserRow, UserFormValues>(toFormName(String(id)))
  const [formBase, setFormBase] = useState(() => unsavedForm && restoreFormBase(unsavedForm))
  const [missingReason, setMissingReason] = useState<MissingReason>()
  const cachedBase = useLiveQuery(async () => {
    const overlaidRow = await readRow<UserRow>(userListSpec.table, id)
    return overlaidRow && buildFormBase(overlaidRow, await readEntries())
  }, [id])
  useEffect(() => {
    if (formBase || cachedBase === undefined) return
    if (cachedBase) return setFormBase(cachedBase)
    let isActive = true
    void dispatch(callEndpoint(getUser, { query: { userId: id } })).then((result) => {
      if (!isActive) return
      const row = 'output' in result ? result.output : null
      if (row?.company_id === user.company_id) setFormBase(buildFormBase({ row, waiting: null }, []))
      else setMissingReason(row || (result.kind === 'problem' && result.problem.status === 404) ? 'unknown' : 'notHere')
    })
    return () => void (isActive = false)
    // The effect does not use `connection`, but must run again when the connection is back.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [formBase, cachedBase, id, dispatch, user.company_id, connection])
  return { formBase: formBase ?? missingReason, currentRow: cachedBase?.base?.row }
}

const restoreFormBase = ({
  row,
  values,
}: {
  row: OverlaidRow<UserRow> | null
  values: UserFormValues
}): UserFormBase => ({
  base: row,
  values: fromFormValues(values),
  refusedWrite: null,
})
