/** Reads the selected files one after the other, because reading an archive of 64 MB needs as much memory. */
import { createLocalProblem } from '#contract/problem.ts'
import type { UploadEntryStore } from '#features/apps/upload/upload-entry-store.ts'
import type { ReadFileResult } from '#features/apps/upload/read-file.ts'
import {
  type UploadEntry,
  type KnownVersions,
  toPackageRow,
  getPackageState,
} from '#features/apps/upload/upload-entry.ts'

export interface FileReaderOptions {
  readFile: (file: File) => Promise<ReadFileResult>
  getKnownApps: () => KnownVersions
}

export class FileReaderQueue {
  readonly #store: UploadEntryStore
  readonly #filesByKey: ReadonlyMap<string, File>
  readonly #options: FileReaderOptions
  #isReading = false

  constructor(store: UploadEntryStore, files: ReadonlyMap<string, File>, options: FileReaderOptions) {
    this.#store = store
    this.#filesByKey = files
    this.#options = options
  }

  /** Reads until no file is waiting. Calls `onRead` after each file. */
  async run(onRead: () => void): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    for (;;) {
      const next = this.#store.getState().entries.find(({ phase }) => phase === 'reading')
      const file = next && this.#filesByKey.get(next.key)
      if (!next || !file) break
      const readResult = await this.#options.readFile(file)
      // The file may have been removed in the meantime. Then the result is dropped.
      if (this.#store.find(next.key)) this.#store.patch(next.key, this.#toChanges(next, readResult))
      onRead()
    }
    this.#isReading = false
  }

  #toChanges({ key, name, size, iconUrl }: UploadEntry, readResult: ReadFileResult): Partial<UploadEntry> {
    if ('unreadable' in readResult) return { phase: 'failed', problem: createLocalProblem('UNREADABLE_FILE') }
    if ('fault' in readResult) return { phase: 'refused', fault: readResult.fault }
    const { localPackage } = readResult
    const duplicate = this.#store
      .getState()
      .entries.find((otherEntry) => otherEntry.key !== key && otherEntry.row?.md5 === localPackage.md5)
    if (duplicate) return { phase: 'refused', duplicateName: duplicate.name }
    if (iconUrl) URL.revokeObjectURL(iconUrl)
    const row = toPackageRow(name, size, localPackage)
    const { status = 0 } = getPackageState({ row, isFromServer: false }, this.#options.getKnownApps()) ?? {}
    return {
      row,
      phase: status > 1 ? 'notNeeded' : 'waiting',
      iconUrl: localPackage.icon && URL.createObjectURL(localPackage.icon),
      changeLog: localPackage.changeLog,
    }
  }
}
