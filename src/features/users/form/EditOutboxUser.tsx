import { useEffect, useState } from 'react'
import { userListSpec, type UserRow } from '#contract/users.ts'
import { UserForm } from '#features/users/form/UserForm.tsx'
import { type UserFormBase, buildFormBaseOfWrite } from '#features/users/form/user-form-base.ts'
import { readRow } from '#local/lists/read-row.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { CallResult } from '#request/call-results.ts'

interface EditOutboxUserProps {
  entry: EntryView
  send: (input: EntryView['input']) => Promise<CallResult<unknown>>
  onClose: () => void
}

export function EditOutboxUser({ entry, send, onClose }: EditOutboxUserProps) {
  const [initialEntry] = useState(entry)
  const [formBase, setFormBase] = useState<UserFormBase | null>(null)
  useEffect(() => {
    const id = initialEntry.target ?? (`~${initialEntry.intent}` as const)
    void readRow<UserRow>(userListSpec.table, id).then((row) => setFormBase(buildFormBaseOfWrite(initialEntry, row)))
  }, [initialEntry])
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
