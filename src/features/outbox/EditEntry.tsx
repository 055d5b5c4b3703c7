import { lazy, Suspense } from 'react'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { Result } from '#request/results.ts'
import type { Menders } from '#features/outbox/edit-forms.ts'
import type { Item } from '#features/outbox/read-items.ts'

const load = () => import('#features/outbox/EditEntryForm.tsx')
// It brings the whole contract along, which a page of waiting writes need not carry.
const MendForm = lazy(load)

interface Props {
  item: Item
  menders: Menders
  send: (intent: string, asked: EntryView['input']) => Promise<Result<unknown>>
  onClose: () => void
}

/** The form of the write's own noun, filled with what was typed; fields from the contract where it has none. */
export function Mend({ item: { entry, name }, menders, send, onClose }: Props) {
  const Own = menders[entry.endpoint]
  const given = { entry, send: (asked: EntryView['input']) => send(entry.intent, asked), onClose }
  return <Suspense fallback={null}>{Own ? <Own {...given} /> : <MendForm {...given} name={name} />}</Suspense>
}
