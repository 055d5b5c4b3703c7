import { useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import { readRow } from '#local/lists.ts'
import type { Waiting } from '#local/waiting.ts'
import type { Result } from '#request/result.ts'
import { UserForm } from '#features/users/components/UserForm.tsx'
import { usersFills } from '#features/users/address.ts'
import { type Opened, openedToMend, unsavedUser } from '#features/users/opened.ts'

interface Props {
  entry: Waiting
  send: (asked: Waiting['asked']) => Promise<Result<unknown>>
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
      send={(body) => send({ ...asked.asked, body })}
      onClose={onClose}
      onSaved={() => undefined}
    />
  )
}
