import { useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import { usersFills } from '#features/users/list-url.ts'
import { UserForm } from '#features/users/form/UserForm.tsx'
import { type Opened, openedToMend, unsavedUser } from '#features/users/form/form-base.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { Result } from '#request/results.ts'

interface Props {
  entry: EntryView
  send: (asked: EntryView['input']) => Promise<Result<unknown>>
  onClose: () => void
}

/** The user's form on a write that was refused, wherever that is shown: what was typed, what is wrong with it. */
export function MendUser({ entry, send, onClose }: Props) {
  const held = unsavedUser.useHeld(entry.intent)
  const [opened, setOpened] = useState<Opened | null>(held)
  const [asked] = useState(entry)
  useEffect(() => {
    if (held) return
    const { table } = usersFills
    void readRow<UserRow>(table, asked.target ?? `~${asked.intent}`).then((row) => setOpened(openedToMend(asked, row)))
  }, [asked, held])
  if (!opened) return null
  return (
    <UserForm
      opened={opened}
      place={asked.intent}
      send={(body) => send({ ...asked.input, body })}
      onClose={onClose}
      onSaved={() => undefined}
    />
  )
}
