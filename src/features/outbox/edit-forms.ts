/** What a form that mends a refused write is given; each noun's own form takes the same, and the app hands them on. */
import type { ComponentType } from 'react'
import type { EntryView } from '#local/outbox/read-entries.ts'
import type { Result } from '#request/results.ts'

export interface MendProps {
  entry: EntryView
  /** Sends it again with these values: the same wish, in its old place. Answers as any asking does. */
  send: (asked: EntryView['input']) => Promise<Result<unknown>>
  onClose: () => void
}

/** Forms by endpoint; a write without one gets the fields that the contract names. */
export type Menders = Readonly<Record<string, ComponentType<MendProps>>>
