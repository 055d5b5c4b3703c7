import { useEffect, useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import { userListSpec } from '#features/users/view.ts'
import { UserForm } from '#features/users/form/UserForm.tsx'
import { type UserFormBase, buildFormBaseOfWrite, unsavedUserForms } from '#features/users/form/user-form-base.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { CallResult } from '#request/call-results.ts'

interface EditOutboxUserProps {
  entry: EntryView
  send: (input: EntryView['input']) => Promise<CallResult<unknown>>
  onClose: () => void
}

/** The user's form on a write that was refused, wherever that is shown: what was typed, what is wrong with it. */
export function EditOutboxUser({ entry, send, onClose }: EditOutboxUserProps) {
  const restoredBase = unsavedUserForms.useUnsavedForm(entry.intent)
  const [formBase, setFormBase] = useState<UserFormBase | null>(restoredBase)
  const [initialEntry] = useState(entry)
  useEffect(() => {
    if (restoredBase) return
    const { table } = userListSpec
    void readRow<UserRow>(table, initialEntry.target ?? `~${initialEntry.intent}`).then((row) =>
      setFormBase(buildFormBaseOfWrite(initialEntry, row)),
    )
  }, [initialEntry, restoredBase])
  if (!formBase) return null
  return (
    <UserForm
      formBase={formBase}
      formKey={initialEntry.intent}
      send={(body) => send({ ...initialEntry.input, body })}
      onClose={onClose}
      onSaved={() => undefined}
    />
  )
}
