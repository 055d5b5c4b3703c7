/** Entries of the upload page, with listeners. Not in the Redux store, because they refer to files. */
import { type UploadEntry, createUploadEntry } from '#features/apps/upload/upload-entry.ts'

export interface UploadQueueState {
  entries: readonly UploadEntry[]
  /** Whether the server accepts no further uploads until some packages are published or removed. */
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

  createEntry = (name: string, size: number): UploadEntry => createUploadEntry(`${++this.#entryCount}`, name, size)
}
