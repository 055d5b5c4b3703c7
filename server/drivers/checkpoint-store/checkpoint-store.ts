/** Stores a small document outside the database. A writer replaces it only if nobody has changed it since the writer read it. */
import type { BucketSettings } from '#server/drivers/file-store/bucket-settings.ts'

export type CheckpointSettings =
  | { kind: 'file'; path: string }
  | { kind: 's3'; bucket: BucketSettings; key: string }
  | { kind: 'none' }

export interface StoredDocument {
  text: string
  /** Identifies the content: another content has another version. */
  version: string
}

/** Errors of all methods are StoreErrors. */
export interface CheckpointStore {
  /** `none` means that there is no store: `read` returns null, and `replace` does nothing and returns true. */
  readonly name: 'file' | 's3' | 'none'
  /** Returns null if nothing was written yet. */
  read(): Promise<StoredDocument | null>
  /**
   * Replaces the document atomically and durably. `version` is that of the document to replace, or null if nothing was written yet. Returns
   * false if another process has written since.
   */
  replace(text: string, version: string | null): Promise<boolean>
  close(): Promise<void>
}

export const noCheckpointStore: CheckpointStore = {
  name: 'none',
  read: async () => null,
  replace: async () => true,
  close: async () => undefined,
}
