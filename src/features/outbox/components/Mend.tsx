import { lazy, Suspense } from 'react'
import type { Waiting } from '#local/waiting.ts'
import type { Result } from '#request/result.ts'
import type { Menders } from '#features/outbox/mending.ts'
import type { Item } from '#features/outbox/reading.ts'

const load = () => import('#features/outbox/components/MendForm.tsx')
// It brings the whole contract along, which a page of waiting writes need not carry.
const MendForm = lazy(load)

interface Props {
  item: Item
  menders: Menders
  send: (intent: string, asked: Waiting['asked']) => Promise<Result<unknown>>
  onClose: () => void
}

/** The form of the write's own noun, filled with what was typed; fields from the contract where it has none. */
export function Mend({ item: { entry, name }, menders, send, onClose }: Props) {
  const Own = menders[entry.endpoint]
  const given = { entry, send: (asked: Waiting['asked']) => send(entry.intent, asked), onClose }
  return <Suspense fallback={null}>{Own ? <Own {...given} /> : <MendForm {...given} name={name} />}</Suspense>
}
