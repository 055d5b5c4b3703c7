/** The files of the upload page as they stand, and who is told when they change. Files are no data: they are kept here, not in the store. */
import { type Entry, newEntry } from '#features/apps/upload/upload-entry.ts'

export interface QueueState {
  entries: readonly Entry[]
  /** The server takes no more until some are published or removed. */
  isFull: boolean
}

export class EntryStore {
  #state: QueueState = { entries: [], isFull: false }
  readonly #listeners = new Set<() => void>()
  #count = 0

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  snapshot = (): QueueState => this.#state

  set(some: Partial<QueueState>): void {
    this.#state = { ...this.#state, ...some }
    for (const listener of this.#listeners) listener()
  }

  find = (key: string): Entry | undefined => this.#state.entries.find((entry) => entry.key === key)

  patch(key: string, some: Partial<Entry>): void {
    this.set({ entries: this.#state.entries.map((entry) => (entry.key === key ? { ...entry, ...some } : entry)) })
  }

  /** With a key of its own; it is not in the list yet. */
  made = (name: string, size: number): Entry => newEntry(`${++this.#count}`, name, size)
}
