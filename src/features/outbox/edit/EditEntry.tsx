import { lazy, Suspense } from 'react'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { CallResult } from '#request/call-results.ts'
import type { EditForms } from '#features/outbox/edit/edit-forms.ts'
import type { OutboxItem } from '#features/outbox/read-items.ts'

const load = () => import('#features/outbox/edit/EditEntryForm.tsx')
// Loaded on demand: it imports the complete contract, which the list of waiting writes does not need.
const EditEntryForm = lazy(load)

interface Props {
  item: OutboxItem
  editForms: EditForms
  send: (intent: string, input: EntryView['input']) => Promise<CallResult<unknown>>
  onClose: () => void
}

/** Shows the noun's own form with the typed values or, without a form, the fields of the contract. */
export function EditEntry({ item: { entry, name }, editForms, send, onClose }: Props) {
  const OwnForm = editForms[entry.endpoint]
  const formProps = { entry, send: (input: EntryView['input']) => send(entry.intent, input), onClose }
  return (
    <Suspense fallback={null}>
      {OwnForm ? <OwnForm {...formProps} /> : <EditEntryForm {...formProps} name={name} />}
    </Suspense>
  )
}
