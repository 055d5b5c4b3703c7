/** Looks into the chosen files, one after the other: an archive of 64 MB takes as much memory. */
import { localProblem } from '#contract/problem.ts'
import type { EntryStore } from '#features/apps/upload/entry-store.ts'
import type { ReadFile } from '#features/apps/upload/read-file.ts'
import { type Entry, type KnownApps, rowOf, stateOf } from '#features/apps/upload/upload-entry.ts'

export interface ReaderParts {
  read: (file: File) => Promise<ReadFile>
  /** The newest versions that this device knows now. */
  apps: () => KnownApps
}

export class FileReaderQueue {
  readonly #store: EntryStore
  readonly #files: ReadonlyMap<string, File>
  readonly #parts: ReaderParts
  #isReading = false

  constructor(store: EntryStore, files: ReadonlyMap<string, File>, parts: ReaderParts) {
    this.#store = store
    this.#files = files
    this.#parts = parts
  }

  /** Reads until nothing waits to be read; `onRead` after each. */
  async run(onRead: () => void): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    for (;;) {
      const next = this.#store.snapshot().entries.find(({ phase }) => phase === 'reading')
      const file = next && this.#files.get(next.key)
      if (!next || !file) break
      const read = await this.#parts.read(file)
      // Removed meanwhile: nobody wants to know.
      if (this.#store.find(next.key)) this.#store.patch(next.key, this.#changeBy(next, read))
      onRead()
    }
    this.#isReading = false
  }

  #changeBy({ key, name, size, iconUrl }: Entry, read: ReadFile): Partial<Entry> {
    if ('unreadable' in read) return { phase: 'failed', problem: localProblem('UNREADABLE_FILE') }
    if ('fault' in read) return { phase: 'refused', fault: read.fault }
    const { found } = read
    const twin = this.#store.snapshot().entries.find((one) => one.key !== key && one.row?.md5 === found.md5)
    if (twin) return { phase: 'refused', twin: twin.name }
    if (iconUrl) URL.revokeObjectURL(iconUrl)
    const row = rowOf(name, size, found)
    const { status = 0 } = stateOf({ row, isServers: false }, this.#parts.apps()) ?? {}
    return {
      row,
      // There already or in conflict: it is not sent.
      phase: status > 1 ? 'kept' : 'waiting',
      iconUrl: found.icon && URL.createObjectURL(found.icon),
      changeLog: found.changeLog,
    }
  }
}
