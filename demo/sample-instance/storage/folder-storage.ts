/**
 * Stores an instance in a folder that all its tasks share:
 * - `current.json`: names the folder of the current data, `data` at first
 * - `drafts/<id>`: drafts, and the data after a draft was activated
 * - `copies`: snapshots that are being read
 * - `packages`: the data files of the packages
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '#server/drivers/hosting/atomic-file.ts'
import { buildData } from '#server/drivers/hosting/local/build-data.ts'
import { toHostingError } from '#server/drivers/hosting/local/data-file.ts'
import { copyDataFile, readDataFile } from '#server/drivers/hosting/local/read-data.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { requireSampleColumns } from '#demo/sample-instance/storage/check-tables.ts'
import { readCurrentFolder, writeCurrentFolder } from '#demo/sample-instance/storage/current-folder.ts'
import { openFolderPackages } from '#demo/sample-instance/storage/folder-packages.ts'
import { type InstanceStorage, isDraftId, type PackageStore } from '#demo/sample-instance/storage/instance-storage.ts'
import { openSqliteStore, storeFileName } from '#demo/sample-instance/storage/sqlite-store.ts'
import { temporaryPrefix } from '#demo/sample-instance/storage/write-durably.ts'
import type { SampleStore } from '#demo/sample-instance/storage/store.ts'

const draftMs = 24 * 3_600_000
/** Age in ms after which files that a task is still writing belong to a killed task. */
const staleMs = 3_600_000
const removeOptions = { recursive: true, force: true, maxRetries: 3 } as const
const createId = () => randomBytes(16).toString('hex')

interface OpenData {
  folder: string
  storePromise: Promise<SampleStore>
  useCount: number
}

export class FolderStorage implements InstanceStorage {
  readonly kind = 'folder'
  readonly uploadFolder: string
  readonly packages: PackageStore
  readonly #root: string
  readonly #clock: () => number
  #openData: OpenData | null = null

  constructor(root: string, clock: () => number) {
    this.#root = root
    this.#clock = clock
    this.uploadFolder = this.#makeFolder('packages')
    this.packages = openFolderPackages(this.uploadFolder)
  }

  async useStore<T>(work: (store: SampleStore) => Promise<T>): Promise<T> {
    const data = await this.#acquire()
    try {
      return await work(await data.storePromise)
    } finally {
      this.#release(data)
    }
  }

  /** Opens the current data again if it was replaced. Retries if it is replaced in this moment. */
  async #acquire(): Promise<OpenData> {
    for (let tries = 1; ; tries++) {
      const { folder } = readCurrentFolder(this.#root)
      if (this.#openData?.folder !== folder) this.#leaveData()
      const data = (this.#openData ??= { folder, storePromise: this.#openFolder(folder), useCount: 0 })
      data.useCount += 1
      try {
        await data.storePromise
        return data
      } catch (error) {
        data.useCount -= 1
        if (this.#openData === data) this.#openData = null
        if (tries === 3 || readCurrentFolder(this.#root).folder === folder) throw error
      }
    }
  }

  #release(data: OpenData): void {
    data.useCount -= 1
    if (data.useCount === 0 && data !== this.#openData) closeData(data)
  }

  /** Closes the open data, unless requests still use it. The last of them closes it. */
  #leaveData(): void {
    const data = this.#openData
    this.#openData = null
    if (data?.useCount === 0) closeData(data)
  }

  async #openFolder(folder: string): Promise<SampleStore> {
    const path = join(this.#root, folder)
    if (folder.startsWith('drafts/') && !existsSync(join(path, storeFileName))) throw new Error('the data was removed')
    return await openSqliteStore(path, this.#clock())
  }

  /** Reads a copy, so that reading for hours does not stop SQLite from shortening its log. */
  async *readData(): AsyncGenerator<DataPiece> {
    // Creates the data if it does not exist.
    await this.useStore((store) => store.get('select 1 from users limit 1'))
    const folder = join(this.#makeFolder('copies'), createId())
    mkdirSync(folder, { mode: 0o700 })
    try {
      const copy = join(folder, storeFileName)
      await copyDataFile(join(this.#root, readCurrentFolder(this.#root).folder, storeFileName), copy)
      yield* readDataFile(copy)
    } catch (error) {
      throw toHostingError(error)
    } finally {
      rmSync(folder, removeOptions)
    }
  }

  async createDraft(pieces: AsyncIterable<DataPiece>): Promise<string> {
    const id = createId()
    const drafts = this.#makeFolder('drafts')
    const unfinishedDraft = join(drafts, `${temporaryPrefix}${id}`)
    mkdirSync(unfinishedDraft, { mode: 0o700 })
    try {
      await buildData(join(unfinishedDraft, storeFileName), pieces)
      await this.#checkDraft(unfinishedDraft)
      renameSync(unfinishedDraft, join(drafts, id))
      syncFolder(drafts)
    } catch (error) {
      rmSync(unfinishedDraft, removeOptions)
      throw error
    }
    return id
  }

  /** Opens the draft once, so that data that this program cannot use is refused now, and not after it has replaced the old data. */
  async #checkDraft(folder: string): Promise<void> {
    try {
      requireSampleColumns(join(folder, storeFileName))
      const store = await openSqliteStore(folder, this.#clock())
      await store.close()
      syncFolder(folder)
    } catch (error) {
      throw toHostingError(error)
    }
  }

  async activateDraft(id: string): Promise<boolean> {
    if (!isDraftId(id)) return false
    const folder = `drafts/${id}`
    const current = readCurrentFolder(this.#root)
    if (current.folder === folder) return true
    const isReplaced = current.replaced.includes(folder)
    if (isReplaced || !existsSync(join(this.#root, folder, storeFileName))) return false
    writeCurrentFolder(this.#root, { folder, replaced: [...current.replaced, current.folder] })
    this.#leaveData()
    this.#removeReplaced()
    return true
  }

  #removeReplaced(): void {
    const { replaced } = readCurrentFolder(this.#root)
    if (replaced.length === 0) return
    for (const name of replaced) rmSync(join(this.#root, name), removeOptions)
    // Read again, because another task may have activated a draft in the meantime.
    const current = readCurrentFolder(this.#root)
    writeCurrentFolder(this.#root, {
      ...current,
      replaced: current.replaced.filter((name) => !replaced.includes(name)),
    })
  }

  async removeDraft(id: string): Promise<void> {
    const isCurrent = readCurrentFolder(this.#root).folder === `drafts/${id}`
    if (isDraftId(id) && !isCurrent) rmSync(join(this.#root, 'drafts', id), removeOptions)
  }

  async eraseData(): Promise<void> {
    // A new name, so that a task that still has the old data open cannot write into the new data.
    const folder = `data-${createId()}`
    writeCurrentFolder(this.#root, { folder, replaced: [] })
    this.#leaveData()
    for (const name of readdirSync(this.#root))
      if (name !== folder && /^(?:data(?:-[0-9a-f]+)?|drafts|copies)$/.test(name))
        rmSync(join(this.#root, name), removeOptions)
    await this.packages.keep([])
    syncFolder(this.#root)
  }

  async cleanUp(): Promise<void> {
    this.#removeReplaced()
    const { folder } = readCurrentFolder(this.#root)
    for (const name of this.#listOld('drafts', draftMs))
      if (folder !== `drafts/${name}`) rmSync(join(this.#root, 'drafts', name), removeOptions)
    for (const name of this.#listOld('copies', draftMs)) rmSync(join(this.#root, 'copies', name), removeOptions)
    for (const parent of ['', 'drafts', 'packages'])
      for (const name of this.#listOld(parent, staleMs))
        if (name.startsWith(temporaryPrefix)) rmSync(join(this.#root, parent, name), removeOptions)
  }

  /** Lists files and folders that nobody has changed for a time in ms. */
  #listOld(parent: string, ageMs: number): string[] {
    const path = join(this.#root, parent)
    if (!existsSync(path)) return []
    const isOld = (name: string) => {
      const file = join(path, name, storeFileName)
      const stats = statSync(file, { throwIfNoEntry: false }) ?? statSync(join(path, name), { throwIfNoEntry: false })
      return stats !== undefined && this.#clock() - stats.mtimeMs > ageMs
    }
    return readdirSync(path).filter(isOld)
  }

  #makeFolder(name: string): string {
    const path = join(this.#root, name)
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return path
  }

  async close(): Promise<void> {
    const data = this.#openData
    this.#openData = null
    await (await data?.storePromise.catch(() => null))?.close()
  }
}

const closeData = ({ storePromise }: OpenData): void =>
  void storePromise.then(
    (store) => store.close(),
    () => undefined,
  )
