/**
 * The files of the upload page: read one after the other, sent two at a time, and what the server found in each. No React and no
 * network of its own. Files are no data, so they are kept here and not in the store.
 */
import { isOffline, localProblem, type Problem } from '#contract/problem.ts'
import { faultOf } from '#domain/mapp.ts'
import type { Packages, Result } from '#request/results.ts'
import type { ReadFile } from '#features/apps/upload/read-file.ts'
import {
  type Entry,
  isUnderWay,
  type KnownApps,
  type ListedUpload,
  newEntry,
  type PackageRow,
  rowOf,
  stateOf,
} from '#features/apps/upload/upload-entry.ts'

export interface QueueParts extends Pick<Packages, 'send' | 'forget'> {
  read: (file: File) => Promise<ReadFile>
  list: () => Promise<Result<ListedUpload[]>>
  /** The newest versions that this device knows now. */
  apps: () => KnownApps
  isOnline: () => boolean
}

export interface QueueState {
  entries: readonly Entry[]
  /** The server takes no more until some are published or removed. */
  isFull: boolean
}

/** More at once make none of them faster. */
const atOnce = 2
const againMs = 5_000

export class UploadQueue {
  readonly #parts: QueueParts
  #state: QueueState = { entries: [], isFull: false }
  readonly #listeners = new Set<() => void>()
  readonly #files = new Map<string, File>()
  /** Of those that are being sent: a later attempt makes the earlier one's end void. */
  readonly #stops = new Map<string, AbortController>()
  #isReading = false
  #count = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: QueueParts) {
    this.#parts = parts
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  snapshot = (): QueueState => this.#state

  /** A file that goes on with one of before takes its place. */
  add(files: readonly File[]): void {
    const added = files.map((file) => {
      const key = `${++this.#count}`
      this.#files.set(key, file)
      return newEntry(key, file.name, file.size)
    })
    const isAgain = (entry: Entry) =>
      entry.phase === 'partial' && added.some(({ name, size }) => name === entry.name && size === entry.size)
    this.#set({ entries: [...this.#state.entries.filter((entry) => !isAgain(entry)), ...added] })
    void this.#readNext()
  }

  pause(key: string): void {
    this.#stop(key)
    this.#patch(key, { phase: 'paused' })
    this.#pump()
  }

  /** A paused one goes on, a failed one is read and sent once more. */
  again(key: string): void {
    const entry = this.#find(key)
    if (!entry) return
    const cleared = { fault: null, problem: null }
    if (entry.row && !entry.isServers)
      this.#patch(key, { ...cleared, phase: entry.uploadId && entry.sent === entry.size ? 'offline' : 'waiting' })
    else this.#patch(key, { ...cleared, phase: 'reading', twin: null })
    this.wake()
  }

  async remove(key: string): Promise<void> {
    const entry = this.#find(key)
    if (!entry) return
    this.#stop(key)
    if (entry.uploadId !== null && !entry.isPublished) {
      const result = await this.#parts.forget(entry.uploadId)
      if (result.kind === 'problem') return this.#patch(key, { phase: 'failed', problem: result.problem })
    }
    if (entry.iconUrl) URL.revokeObjectURL(entry.iconUrl)
    this.#files.delete(key)
    this.#set({ entries: this.#state.entries.filter((one) => one.key !== key), isFull: false })
    this.#pump()
  }

  /** The line is back, the page was opened: whatever waits goes on. */
  wake(): void {
    for (const { key, phase, uploadId, sent, size } of this.#state.entries)
      if (phase === 'offline')
        if (uploadId !== null && sent === size) void this.#check(key, uploadId)
        else this.#patch(key, { phase: 'waiting' })
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
    this.#set({
      isFull: false,
      entries: this.#state.entries.map((entry) => {
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
    for (const { iconUrl } of this.#state.entries) if (iconUrl) URL.revokeObjectURL(iconUrl)
    this.#files.clear()
    this.#set({ entries: [], isFull: false })
  }

  #set(some: Partial<QueueState>): void {
    this.#state = { ...this.#state, ...some }
    for (const listener of this.#listeners) listener()
  }

  #find = (key: string) => this.#state.entries.find((entry) => entry.key === key)

  #patch(key: string, some: Partial<Entry>): void {
    this.#set({ entries: this.#state.entries.map((entry) => (entry.key === key ? { ...entry, ...some } : entry)) })
  }

  #stop(key: string): void {
    this.#stops.get(key)?.abort()
    this.#stops.delete(key)
  }

  async #readNext(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    for (;;) {
      const next = this.#state.entries.find(({ phase }) => phase === 'reading')
      const file = next && this.#files.get(next.key)
      if (!next || !file) break
      const read = await this.#parts.read(file)
      // Removed meanwhile: nobody wants to know.
      if (this.#find(next.key)) this.#takeRead(next, read)
    }
    this.#isReading = false
  }

  #takeRead({ key, name, size, iconUrl }: Entry, read: ReadFile): void {
    if ('unreadable' in read) return this.#patch(key, { phase: 'failed', problem: localProblem('UNREADABLE_FILE') })
    if ('fault' in read) return this.#patch(key, { phase: 'refused', fault: read.fault })
    const { found } = read
    const twin = this.#state.entries.find((one) => one.key !== key && one.row?.md5 === found.md5)
    if (twin) return this.#patch(key, { phase: 'refused', twin: twin.name })
    if (iconUrl) URL.revokeObjectURL(iconUrl)
    const row = rowOf(name, size, found)
    const { status = 0 } = stateOf({ row, isServers: false }, this.#parts.apps()) ?? {}
    this.#patch(key, {
      row,
      phase: status > 1 ? 'kept' : 'waiting',
      iconUrl: found.icon && URL.createObjectURL(found.icon),
      changeLog: found.changeLog,
    })
    this.#pump()
  }

  #pump(): void {
    if (this.#state.isFull) return
    const waiting = this.#state.entries.filter(({ phase }) => phase === 'waiting')
    for (const { key } of waiting.slice(0, Math.max(0, atOnce - this.#stops.size)))
      if (this.#parts.isOnline()) void this.#send(key)
      else this.#patch(key, { phase: 'offline' })
  }

  async #send(key: string): Promise<void> {
    const [file, md5] = [this.#files.get(key), this.#find(key)?.row?.md5]
    if (!file || md5 === undefined) return
    const stop = new AbortController()
    this.#stops.set(key, stop)
    this.#patch(key, { phase: 'sending', problem: null })
    const isMine = () => this.#stops.get(key) === stop
    const result = await this.#parts.send(file, {
      md5,
      signal: stop.signal,
      onBegun: (uploadId) => isMine() && this.#patch(key, { uploadId }),
      onProgress: (sent) => isMine() && this.#patch(key, { sent }),
    })
    if (!isMine()) return
    this.#stops.delete(key)
    if (result.kind === 'fresh') {
      this.#patch(key, { uploadId: result.output.id, sent: file.size })
      await this.#check(key, result.output.id)
    } else if (result.kind === 'problem') this.#takeProblem(key, result.problem)
    this.#pump()
  }

  #takeProblem(key: string, problem: Problem): void {
    if (problem.code === 'UPLOAD_LIMIT') {
      this.#patch(key, { phase: 'waiting' })
      return this.#set({ isFull: true })
    }
    if (!isOffline(problem)) return this.#patch(key, { phase: 'failed', problem })
    this.#patch(key, { phase: 'offline' })
    this.#wakeLater()
  }

  /** A line that the browser believes in may be none. */
  #wakeLater(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#parts.isOnline() ? this.wake() : this.#wakeLater()), againMs)
  }

  async #check(key: string, uploadId: string): Promise<void> {
    this.#patch(key, { phase: 'checking' })
    const problem = await this.refresh()
    if (problem) return this.#takeProblem(key, problem)
    const entry = this.#find(key)
    // It is not listed: another window has taken it away.
    if (entry?.phase === 'checking' && entry.uploadId === uploadId)
      this.#patch(key, { phase: 'failed', problem: localProblem('NOT_FOUND'), uploadId: null, sent: 0 })
  }

  #take(listed: ListedUpload): void {
    const { id, name, size, received, state, fault, file } = listed
    const known = this.#state.entries.find(
      ({ uploadId, row }) => uploadId === id || (file !== null && row?.md5 === file.md5),
    )
    // The server asks for a list of its own of what it was just sent: what is under way here knows better.
    const isOwn = (one: Entry) => isUnderWay(one) && one.name === name && one.size === size
    if (!known && state === 'receiving' && this.#state.entries.some(isOwn)) return
    const key = known?.key ?? `${++this.#count}`
    if (!known) this.#set({ entries: [...this.#state.entries, newEntry(key, name, size)] })
    const place = { uploadId: id, sent: received }
    if (state === 'refused')
      this.#patch(key, {
        ...place,
        phase: 'refused',
        fault: faultOf(fault?.code ?? 'DAMAGED', fault?.named),
        row: null,
      })
    else if (file && known?.row && !known.isServers && known.row.md5 !== file.md5)
      // What was sent is not what was read before: the file was changed between.
      this.#patch(key, { ...place, phase: 'failed', problem: localProblem('UNREADABLE_FILE') })
    else if (file) {
      this.#stop(key)
      this.#patch(key, { ...place, phase: 'sent', row: file, isServers: true, fault: null, problem: null })
    } else if (!known || known.phase === 'partial') this.#patch(key, { ...place, phase: 'partial' })
  }
}
