/**
 * The files of the upload page on their way: sent two at a time, paused, begun again, and what the server found in each. No React
 * and no network of its own.
 */
import { isOffline, localProblem, type Problem } from '#contract/problem.ts'
import type { Packages, Result } from '#request/results.ts'
import { EntryStore, type QueueState } from '#features/apps/upload/entry-store.ts'
import { FileReaderQueue, type ReaderParts } from '#features/apps/upload/file-reader.ts'
import { changeBy, isBeingSent, knownOf } from '#features/apps/upload/take-listed.ts'
import type { Entry, ListedUpload, PackageRow } from '#features/apps/upload/upload-entry.ts'

export interface QueueParts extends Pick<Packages, 'send' | 'forget'>, ReaderParts {
  list: () => Promise<Result<ListedUpload[]>>
  isOnline: () => boolean
}

/** More at once make none of them faster. */
const atOnce = 2
const againMs = 5_000

export class UploadQueue {
  readonly #parts: QueueParts
  readonly #store = new EntryStore()
  readonly #files = new Map<string, File>()
  /** Of those that are being sent: a later attempt makes the earlier one's end void. */
  readonly #stops = new Map<string, AbortController>()
  readonly #reader: FileReaderQueue
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: QueueParts) {
    this.#parts = parts
    this.#reader = new FileReaderQueue(this.#store, this.#files, parts)
  }

  subscribe = (listener: () => void): (() => void) => this.#store.subscribe(listener)

  snapshot = (): QueueState => this.#store.snapshot()

  /** A file that goes on with one of before takes its place. */
  add(files: readonly File[]): void {
    const added = files.map((file) => {
      const entry = this.#store.made(file.name, file.size)
      this.#files.set(entry.key, file)
      return entry
    })
    const isAgain = ({ phase, name, size }: Entry) =>
      phase === 'partial' && added.some((one) => one.name === name && one.size === size)
    this.#store.set({ entries: [...this.snapshot().entries.filter((entry) => !isAgain(entry)), ...added] })
    void this.#readNext()
  }

  pause(key: string): void {
    this.#stop(key)
    this.#store.patch(key, { phase: 'paused' })
    this.#pump()
  }

  /** A paused one goes on, a failed one is read and sent once more. */
  again(key: string): void {
    const entry = this.#store.find(key)
    if (!entry) return
    const cleared = { fault: null, problem: null }
    if (entry.row && !entry.isServers)
      this.#store.patch(key, { ...cleared, phase: entry.uploadId && entry.sent === entry.size ? 'offline' : 'waiting' })
    else this.#store.patch(key, { ...cleared, phase: 'reading', twin: null })
    this.wake()
  }

  async remove(key: string): Promise<void> {
    const entry = this.#store.find(key)
    if (!entry) return
    this.#stop(key)
    if (entry.uploadId !== null && !entry.isPublished) {
      const result = await this.#parts.forget(entry.uploadId)
      if (result.kind === 'problem') return this.#store.patch(key, { phase: 'failed', problem: result.problem })
    }
    if (entry.iconUrl) URL.revokeObjectURL(entry.iconUrl)
    this.#files.delete(key)
    this.#store.set({ entries: this.snapshot().entries.filter((one) => one.key !== key), isFull: false })
    this.#pump()
  }

  /** The line is back, the page was opened: whatever waits goes on. */
  wake(): void {
    for (const { key, phase, uploadId, sent, size } of this.snapshot().entries)
      if (phase === 'offline')
        if (uploadId !== null && sent === size) void this.#check(key, uploadId)
        else this.#store.patch(key, { phase: 'waiting' })
    void this.#readNext()
    this.#pump()
  }

  /** What the server has of this user, of earlier visits too. */
  async refresh(): Promise<Problem | null> {
    const result = await this.#parts.list()
    if (result.kind === 'problem') return result.problem
    if (result.kind === 'fresh') for (const listed of result.output) this.#take(listed)
    return null
  }

  /** The rows of a publishing that has ended, with their new status. */
  published(rows: readonly PackageRow[]): void {
    const byMd5 = new Map(rows.map((row) => [row.md5, row]))
    this.#store.set({
      isFull: false,
      entries: this.snapshot().entries.map((entry) => {
        const row = entry.isServers ? byMd5.get(entry.row?.md5 ?? '') : undefined
        return row ? { ...entry, row, isPublished: row.status === 2 } : entry
      }),
    })
    this.#pump()
  }

  /** The page is left: what was sent stays on the server for a day. */
  close(): void {
    clearTimeout(this.#timer)
    for (const stop of this.#stops.values()) stop.abort()
    this.#stops.clear()
    for (const { iconUrl } of this.snapshot().entries) if (iconUrl) URL.revokeObjectURL(iconUrl)
    this.#files.clear()
    this.#store.set({ entries: [], isFull: false })
  }

  #stop(key: string): void {
    this.#stops.get(key)?.abort()
    this.#stops.delete(key)
  }

  #readNext = (): Promise<void> => this.#reader.run(() => this.#pump())

  #pump(): void {
    if (this.snapshot().isFull) return
    const waiting = this.snapshot().entries.filter(({ phase }) => phase === 'waiting')
    for (const { key } of waiting.slice(0, Math.max(0, atOnce - this.#stops.size)))
      if (this.#parts.isOnline()) void this.#send(key)
      else this.#store.patch(key, { phase: 'offline' })
  }

  async #send(key: string): Promise<void> {
    const [file, md5] = [this.#files.get(key), this.#store.find(key)?.row?.md5]
    if (!file || md5 === undefined) return
    const stop = new AbortController()
    this.#stops.set(key, stop)
    this.#store.patch(key, { phase: 'sending', problem: null })
    const isMine = () => this.#stops.get(key) === stop
    const result = await this.#parts.send(file, {
      md5,
      signal: stop.signal,
      onBegun: (uploadId) => isMine() && this.#store.patch(key, { uploadId }),
      onProgress: (sent) => isMine() && this.#store.patch(key, { sent }),
    })
    if (!isMine()) return
    this.#stops.delete(key)
    if (result.kind === 'fresh') {
      this.#store.patch(key, { uploadId: result.output.id, sent: file.size })
      await this.#check(key, result.output.id)
    } else if (result.kind === 'problem') this.#takeProblem(key, result.problem)
    this.#pump()
  }

  #takeProblem(key: string, problem: Problem): void {
    if (problem.code === 'UPLOAD_LIMIT') {
      this.#store.patch(key, { phase: 'waiting' })
      return this.#store.set({ isFull: true })
    }
    if (!isOffline(problem)) return this.#store.patch(key, { phase: 'failed', problem })
    this.#store.patch(key, { phase: 'offline' })
    this.#wakeLater()
  }

  /** A line that the browser believes in may be none. */
  #wakeLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#parts.isOnline() ? this.wake() : this.#wakeLater()), againMs)
  }

  async #check(key: string, uploadId: string): Promise<void> {
    this.#store.patch(key, { phase: 'checking' })
    const problem = await this.refresh()
    if (problem) return this.#takeProblem(key, problem)
    const entry = this.#store.find(key)
    // It is not listed: another window has taken it away.
    if (entry?.phase === 'checking' && entry.uploadId === uploadId)
      this.#store.patch(key, { phase: 'failed', problem: localProblem('NOT_FOUND'), uploadId: null, sent: 0 })
  }

  #take(listed: ListedUpload): void {
    const { entries } = this.snapshot()
    const known = knownOf(entries, listed)
    if (!known && isBeingSent(entries, listed)) return
    const change = changeBy(listed, known)
    if (!change) return
    if (known && change.phase === 'sent') this.#stop(known.key)
    if (known) this.#store.patch(known.key, change)
    else this.#store.set({ entries: [...entries, { ...this.#store.made(listed.name, listed.size), ...change }] })
  }
}
