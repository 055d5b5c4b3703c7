import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import type { SampleStore } from '#demo/sample-instance/storage/store.ts'

/** A data file of an app. */
export interface AppFile {
  name: string
  /** The file as formatted JSON. Null if the file is too large or not valid JSON. */
  text: string | null
}

/** The data files of packages, by the SHA-256 of the package. */
export interface PackageStore {
  list(): Promise<string[]>
  /** Returns null if the package is not loaded. */
  read(sha256: string): Promise<AppFile[] | null>
  /** Does nothing if the package is already loaded. */
  add(sha256: string, files: readonly AppFile[]): Promise<void>
  /** Removes all packages that are not listed. */
  keep(sha256s: readonly string[]): Promise<void>
}

/** Data, drafts and packages of an instance, shared by all its tasks. */
export interface InstanceStorage {
  readonly kind: 'folder' | 'database'
  /** Existing folder for packages that are being received. */
  readonly uploadFolder: string
  readonly packages: PackageStore
  /** Runs `work` with the current data, which another task may have replaced since the last call. */
  useStore<T>(work: (store: SampleStore) => Promise<T>): Promise<T>
  /** Reads a consistent snapshot, while the instance is in use. */
  readData(): AsyncIterable<DataPiece>
  /** Returns the id of a complete and durable draft. If it fails, nothing remains. Rethrows errors of `pieces`. */
  createDraft(pieces: AsyncIterable<DataPiece>): Promise<string>
  /** Replaces the data by the draft, completely or not at all. Does nothing if it is the data already. Returns false if there is no such draft. */
  activateDraft(id: string): Promise<boolean>
  removeDraft(id: string): Promise<void>
  /** Deletes data, drafts and packages. The instance begins with empty data. */
  eraseData(): Promise<void>
  /** Removes remains of killed tasks, and drafts that are older than a day. */
  cleanUp(): Promise<void>
  close(): Promise<void>
}

export const isDraftId = (id: string): boolean => /^[0-9a-f]{32}$/.test(id)
