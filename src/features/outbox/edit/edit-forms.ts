/** What a form that mends a refused write is given; each noun's own form takes the same, and the app hands them on. */
import type { ComponentType } from 'react'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { CallResult } from '#request/call-results.ts'

export interface EditFormProps {
  entry: EntryView
  /** Sends it again with these values: the same wish, in its old place. Answers as any asking does. */
  send: (input: EntryView['input']) => Promise<CallResult<unknown>>
  onClose: () => void
}

/** Forms by endpoint; a write without one gets the fields that the contract names. */
export type EditForms = Readonly<Record<string, ComponentType<EditFormProps>>>
