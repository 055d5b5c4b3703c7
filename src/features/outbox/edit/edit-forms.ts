/** Props of a form that edits a refused write. All nouns use the same props, and the app passes the forms. */
import type { ComponentType } from 'react'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { CallResult } from '#request/call-results.ts'

export interface EditFormProps {
  entry: EntryView
  /** Sends the entry again with these values, under the same intent and at its old position. */
  send: (input: EntryView['input']) => Promise<CallResult<unknown>>
  onClose: () => void
}

/** Forms by endpoint. A write without a form gets the fields of the contract. */
export type EditForms = Readonly<Record<string, ComponentType<EditFormProps>>>
