/** Props of a form that edits a refused write. Each noun's own form has the same, and the app passes them. */
import type { ComponentType } from 'react'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { CallResult } from '#request/call-results.ts'

export interface EditFormProps {
  entry: EntryView
  /** Sends the entry again with these values, under the same intent and at its old position. */
  send: (input: EntryView['input']) => Promise<CallResult<unknown>>
  onClose: () => void
}

/** Forms by endpoint; a write without one gets the fields that the contract names. */
export type EditForms = Readonly<Record<string, ComponentType<EditFormProps>>>
