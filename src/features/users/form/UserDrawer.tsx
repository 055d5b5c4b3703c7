import { type ComponentType, useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { usersFills, type View } from '#features/users/list-url.ts'
import { Invitation } from '#features/users/form/Invitation.tsx'
import { UserForm } from '#features/users/form/UserForm.tsx'
import { type Opened, openedNew, openedOn, unsavedUser } from '#features/users/form/form-base.ts'
import { askUser } from '#features/users/form/save-user.ts'
import { readRow } from '#local/lists/read-row.ts'
import { readEntries } from '#local/outbox/read-entries.ts'
import { useConnection, useDispatch, useSignedIn } from '#state/hooks.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'

interface Props {
  Beside: ComponentType<{ id: number; name: string }>
  open: View['open']
  onClose: () => void
  onSaved: () => void
}

/** What the address opens: a form for a new user, for one of the rows, or word that there is none. */
export function UserDrawer({ open, ...props }: Props) {
  return open === null ? null : <Opening key={String(open)} open={open} {...props} />
}

/** A form whose user had to sign in again goes on where it was. */
function Opening({ open, ...props }: Props & { open: NonNullable<View['open']> }) {
  const held = unsavedUser.useHeld(String(open))
  if (held) return <UserForm opened={held} place={String(open)} {...props} />
  return open === 'new' ? <UserForm opened={openedNew} place="new" {...props} /> : <Existing id={open} {...props} />
}

function Existing({ id, ...props }: Omit<Props, 'open'> & { id: Exclude<View['open'], 'new' | null> }) {
  const { t } = useTranslation('people')
  const opened = useOpened(id)
  if (opened === undefined) return null
  if (typeof opened !== 'string') {
    const note = opened.base?.row.status === userStatus.deactivated && <Invitation invited={opened.base.row} />
    return <UserForm opened={opened} place={String(id)} note={note} {...props} />
  }
  return (
    <Dialog open side="right" title={t(`missing.${opened}.title`)} onClose={props.onClose}>
      <p>{t(`missing.${opened}.text`)}</p>
    </Dialog>
  )
}

type Missing = 'unknown' | 'notHere'

/**
 * The row as it stood when the drawer opened, and from then on that one: what comes in meanwhile must not change a form
 * under its user's hands. A row that this device does not have is asked for, and once more when the line is back.
 * Undefined: not known yet.
 */
function useOpened(id: Exclude<View['open'], 'new' | null>): Opened | Missing | undefined {
  const { user } = useSignedIn()
  const { line } = useConnection()
  const dispatch = useDispatch()
  const [opened, setOpened] = useState<Opened>()
  const [missing, setMissing] = useState<Missing>()
  const here = useLiveQuery(async () => {
    const shown = await readRow<UserRow>(usersFills.table, id)
    return shown && openedOn(shown, await readEntries())
  }, [id])
  useEffect(() => {
    if (opened || here === undefined) return
    if (here) return setOpened(here)
    let counts = true
    void dispatch(askUser(id)).then((result) => {
      if (!counts) return
      const row = 'output' in result ? result.output : null
      if (row?.company_id === user.company_id) setOpened(openedOn({ row, waiting: null }, []))
      else setMissing(row || (result.kind === 'problem' && result.problem.status === 404) ? 'unknown' : 'notHere')
    })
    return () => void (counts = false)
    // The line is not used: its coming back is the reason.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [opened, here, id, dispatch, user.company_id, line])
  return opened ?? missing
}
