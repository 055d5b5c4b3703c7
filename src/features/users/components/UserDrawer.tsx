import { lazy, Suspense, useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import { readRow } from '#local/lists.ts'
import { readEntries } from '#local/waiting.ts'
import { useDispatch, useSignedIn } from '#state/hooks.ts'
import { useLive } from '#state/live.ts'
import { Button } from '#ui/Button.tsx'
import { Dialog } from '#ui/Dialog.tsx'
import { useWords } from '#ui/words.ts'
import { usersFills, type View } from '#features/users/address.ts'
import { type Opened, openedNew, openedOn } from '#features/users/opened.ts'
import { askUser } from '#features/users/slice.ts'

const load = () => import('#features/users/components/UserForm.tsx')
const UserForm = lazy(async () => ({ default: (await load()).UserForm }))
/** Fetches the form's code when the list has come to rest: no list waits for a form (P-28). */
export const preloadForm = () => void load().catch(() => undefined)

interface Props {
  open: View['open']
  onClose: () => void
  onSaved: () => void
}

/** What the address opens: a form for a new user, for one of the rows, or word that there is none. */
export function UserDrawer({ open, onClose, onSaved }: Props) {
  if (open === null) return null
  return (
    // Nothing in between: a drawer that makes way for another one would lose the way back to what opened it.
    <Suspense fallback={null}>
      {open === 'new' ? (
        <UserForm key="new" opened={openedNew} onClose={onClose} onSaved={onSaved} />
      ) : (
        <Existing key={String(open)} id={open} onClose={onClose} onSaved={onSaved} />
      )}
    </Suspense>
  )
}

function Existing({
  id,
  onClose,
  onSaved,
}: {
  id: Exclude<View['open'], 'new' | null>
  onClose: () => void
  onSaved: () => void
}) {
  const t = useWords('users')
  const opened = useOpened(id)
  if (opened) return <UserForm opened={opened} onClose={onClose} onSaved={onSaved} />
  if (opened === undefined) return null
  const footer = <Button onClick={onClose}>{t('missing.close')}</Button>
  return (
    <Dialog open side="right" title={t('missing.title')} onClose={onClose} footer={footer}>
      <p>{t('missing.text')}</p>
    </Dialog>
  )
}

/**
 * The row as it stood when the drawer opened, and from then on that one: what comes in meanwhile must not change a form
 * under its user's hands. A row that this device does not have is asked for. Undefined: not known yet; null: none.
 */
function useOpened(id: Exclude<View['open'], 'new' | null>): Opened | null | undefined {
  const { user } = useSignedIn()
  const dispatch = useDispatch()
  const [opened, setOpened] = useState<Opened | null>()
  const here = useLive(async () => {
    const shown = await readRow<UserRow>(usersFills.table, id)
    return shown && openedOn(shown, await readEntries())
  }, [id])
  useEffect(() => {
    if (opened || here === undefined) return
    if (here) setOpened(here)
    else
      void dispatch(askUser(id)).then((row) => {
        const found = row?.company_id === user.company_id ? openedOn({ row, waiting: null }, []) : null
        setOpened((now) => now ?? found)
      })
  }, [opened, here, id, dispatch, user.company_id])
  return opened
}
