/** The files of the upload page as they stand, and who is told when they change. Files are no data: they are kept here, not in the store. */
import { type UploadEntry, createUploadEntry } from '#features/apps/upload/upload-entry.ts'

export interface UploadQueueState {
  entries: readonly UploadEntry[]
  /** The server takes no more until some are published or removed. */
  isFull: boolean
}

export class UploadEntryStore {
  #state: UploadQueueState = { entries: [], isFull: false }
  readonly #listeners = new Set<() => void>()
  #entryCount = 0

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  getState = (): UploadQueueState => this.#state

  update(changes: Partial<UploadQueueState>): void {
    this.#state = { ...this.#state, ...changes }
    for (const listener of this.#listeners) listener()
  }

  find = (key: string): UploadEntry | undefined => this.#state.entries.find((entry) => entry.key === key)

  patch(key: string, changes: Partial<UploadEntry>): void {
    this.update({ entries: this.#state.entries.map((entry) => (entry.key === key ? { ...entry, ...changes } : entry)) })
  }

  /** With a key of its own; it is not in the list yet. */
  createEntry = (name: string, size: number): UploadEntry => createUploadEntry(`${++this.#entryCount}`, name, size)
}
