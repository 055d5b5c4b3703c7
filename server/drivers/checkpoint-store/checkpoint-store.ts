/** A small document outside the database. It is replaced only if its version is the one that the writer has read. */
import type { BucketSettings } from '#server/drivers/backup-store/s3/store.ts'

export type CheckpointSettings =
  | { kind: 'file'; path: string }
  | { kind: 's3'; bucket: BucketSettings; key: string }
  | { kind: 'none' }

export interface StoredDocument {
  text: string
  /** Identifies exactly this content. */
  version: string
}

/** All methods throw a StoreError. */
export interface CheckpointStore {
  /** `none` means that there is no store; reading always returns null. */
  readonly name: 'file' | 's3' | 'none'
  /** Returns null if nothing was written yet. */
  read(): Promise<StoredDocument | null>
  /** Atomic and durable. `version`: of the replaced document, or null. Returns false if another process wrote before. */
  replace(text: string, version: string | null): Promise<boolean>
  close(): Promise<void>
}

export const noCheckpointStore: CheckpointStore = {
  name: 'none',
  read: async () => null,
  replace: async () => true,
  close: async () => undefined,
}
