/**
 * Sends the files of the upload page, two at a time, with pause and resume. Then it reads which faults the server found. Uses neither React
 * nor the network directly.
 */
import { isOffline, createLocalProblem, type Problem } from '#contract/problem.ts'
import type { AppPackages, CallResult } from '#request/call-results.ts'
import { UploadEntryStore, type UploadQueueState } from '#features/apps/upload/upload-entry-store.ts'
import { FileReaderQueue, type FileReaderOptions } from '#features/apps/upload/file-reader-queue.ts'
import { toEntryChanges, isBeingSent, findEntry } from '#features/apps/upload/listed-upload-entry.ts'
import type { UploadEntry, ListedUpload, PackageRow } from '#features/apps/upload/upload-entry.ts'

export interface UploadQueueOptions extends Pick<AppPackages, 'send' | 'forget'>, FileReaderOptions {
  fetchUploads: () => Promise<CallResult<ListedUpload[]>>
  isOnline: () => boolean
}

/** Maximum number of parallel uploads. More of them would not be faster. */
const maxConcurrent = 2
const retryDelayMs = 5_000

export class UploadQueue {
  readonly #options: UploadQueueOptions
  readonly #store = new UploadEntryStore()
  readonly #filesByKey = new Map<string, File>()
  /**
   * Controllers of the uploads in progress, by entry key. A new attempt replaces the controller, so the result of the earlier one is
   * ignored.
   */
  readonly #abortControllers = new Map<string, AbortController>()
  readonly #reader: FileReaderQueue
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: UploadQueueOptions) {
    this.#options = options
    this.#reader = new FileReaderQueue(this.#store, this.#filesByKey, options)
  }

  subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener)

  getState = (): UploadQueueState => this.#store.getState()

  /** Adds files. If a file has the name and size of a partial upload, the new entry replaces that upload's entry. */
  add(files: readonly File[]): void {
    const addedEntries = files.map((file) => {
      const entry = this.#store.createEntry(file.name, file.size)
      this.#filesByKey.set(entry.key, file)
      return entry
    })
    const isReplaced = ({ phase, name, size }: UploadEntry) =>
      phase === 'partial' && addedEntries.some((uploadEntry) => uploadEntry.name === name && uploadEntry.size === size)
    this.#store.update({ entries: [...this.getState().entries.filter((entry) => !isReplaced(entry)), ...addedEntries] })
    void this.#readNext()
  }

  pause(key: string): void {
    this.#stop(key)
    this.#store.patch(key, { phase: 'paused' })
    this.#sendNext()
  }

  /** Continues a paused or failed upload. If this device has not read the file's content successfully, the file is read again first. */
  retry(key: string): void {
    const entry = this.#store.find(key)
    if (!entry) return
    const clearedFields = { fault: null, problem: null }
    if (entry.row && !entry.isFromServer)
      this.#store.patch(key, {
        ...clearedFields,
        phase: entry.uploadId && entry.sentBytes === entry.size ? 'offline' : 'waiting',
      })
    else this.#store.patch(key, { ...clearedFields, phase: 'reading', duplicateName: null })
    this.wake()
  }

  async remove(key: string): Promise<void> {
    const entry = this.#store.find(key)
    if (!entry) return
    this.#stop(key)
    if (entry.uploadId !== null && !entry.isPublished) {
      const result = await this.#options.forget(entry.uploadId)
      if (result.kind === 'problem') return this.#store.patch(key, { phase: 'failed', problem: result.problem })
    }
    if (entry.iconUrl) URL.revokeObjectURL(entry.iconUrl)
    this.#filesByKey.delete(key)
    this.#store.update({
      entries: this.getState().entries.filter((uploadEntry) => uploadEntry.key !== key),
      isFull: false,
    })
    this.#sendNext()
  }

  /** Continues the uploads that were offline or are waiting. Called when the connection is back and when the page is opened. */
  wake(): void {
    for (const { key, phase, uploadId, sentBytes, size } of this.getState().entries)
      if (phase === 'offline')
        if (uploadId !== null && sentBytes === size) void this.#check(key, uploadId)
        else this.#store.patch(key, { phase: 'waiting' })
    void this.#readNext()
    this.#sendNext()
  }

  /** Reads the user's uploads from the server, including those of earlier visits. */
  async refresh(): Promise<Problem | null> {
    const result = await this.#options.fetchUploads()
    if (result.kind === 'problem') return result.problem
    if (result.kind === 'fresh') for (const listedUpload of result.output) this.#applyListed(listedUpload)
    return null
  }

  handlePublished(rows: readonly PackageRow[]): void {
    const rowsByMd5 = new Map(rows.map((row) => [row.md5, row]))
    this.#store.update({
      isFull: false,
      entries: this.getState().entries.map((entry) => {
        const row = entry.isFromServer ? rowsByMd5.get(entry.row?.md5 ?? '') : undefined
        return row ? { ...entry, row, isPublished: row.status === 2 } : entry
      }),
    })
    this.#sendNext()
  }

  /** Called when the page is left. Uploaded bytes stay on the server for a day. */
  close(): void {
    clearTimeout(this.#timer)
    for (const controller of this.#abortControllers.values()) controller.abort()
    this.#abortControllers.clear()
    for (const { iconUrl } of this.getState().entries) if (iconUrl) URL.revokeObjectURL(iconUrl)
    this.#filesByKey.clear()
    this.#store.update({ entries: [], isFull: false })
  }

  #stop(key: string): void {
    this.#abortControllers.get(key)?.abort()
    this.#abortControllers.delete(key)
  }

  #readNext = (): Promise<void> => this.#reader.run(() => this.#sendNext())

  #sendNext(): void {
    if (this.getState().isFull) return
    const waitingEntries = this.getState().entries.filter(({ phase }) => phase === 'waiting')
    for (const { key } of waitingEntries.slice(0, Math.max(0, maxConcurrent - this.#abortControllers.size)))
      if (this.#options.isOnline()) void this.#send(key)
      else this.#store.patch(key, { phase: 'offline' })
  }

  async #send(key: string): Promise<void> {
    const [file, md5] = [this.#filesByKey.get(key), this.#store.find(key)?.row?.md5]
    if (!file || md5 === undefined) return
    const controller = new AbortController()
    this.#abortControllers.set(key, controller)
    this.#store.patch(key, { phase: 'sending', problem: null })
    const isCurrent = () => this.#abortControllers.get(key) === controller
    const result = await this.#options.send(file, {
      md5,
      signal: controller.signal,
      onStarted: (uploadId) => isCurrent() && this.#store.patch(key, { uploadId }),
      onProgress: (sentBytes) => isCurrent() && this.#store.patch(key, { sentBytes }),
    })
    if (!isCurrent()) return
    this.#abortControllers.delete(key)
    if (result.kind === 'fresh') {
      this.#store.patch(key, { uploadId: result.output.id, sentBytes: file.size })
      await this.#check(key, result.output.id)
    } else if (result.kind === 'problem') this.#applyProblem(key, result.problem)
    this.#sendNext()
  }

  #applyProblem(key: string, problem: Problem): void {
    if (problem.code === 'UPLOAD_LIMIT') {
      this.#store.patch(key, { phase: 'waiting' })
      return this.#store.update({ isFull: true })
    }
    if (!isOffline(problem)) return this.#store.patch(key, { phase: 'failed', problem })
    this.#store.patch(key, { phase: 'offline' })
    this.#wakeLater()
  }

  /** The browser may report a connection that does not work, so try again after a delay. */
  #wakeLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#options.isOnline() ? this.wake() : this.#wakeLater()), retryDelayMs)
  }

  async #check(key: string, uploadId: string): Promise<void> {
    this.#store.patch(key, { phase: 'checking' })
    const problem = await this.refresh()
    if (problem) return this.#applyProblem(key, problem)
    const entry = this.#store.find(key)
    // The server does not list this upload, so another window has removed it.
    if (entry?.phase === 'checking' && entry.uploadId === uploadId)
      this.#store.patch(key, {
        phase: 'failed',
        problem: createLocalProblem('NOT_FOUND'),
        uploadId: null,
        sentBytes: 0,
      })
  }

  #applyListed(listedUpload: ListedUpload): void {
    const { entries } = this.getState()
    const knownEntry = findEntry(entries, listedUpload)
    if (!knownEntry && isBeingSent(entries, listedUpload)) return
    const changes = toEntryChanges(listedUpload, knownEntry)
    if (!changes) return
    if (knownEntry && changes.phase === 'sent') this.#stop(knownEntry.key)
    if (knownEntry) this.#store.patch(knownEntry.key, changes)
    else
      this.#store.update({
        entries: [...entries, { ...this.#store.createEntry(listedUpload.name, listedUpload.size), ...changes }],
      })
  }
}
