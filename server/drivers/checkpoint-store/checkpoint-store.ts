/** A small document outside the database, replaced only by whoever has read what it replaces. */
import type { BucketSettings } from '#server/drivers/backup-store/s3/store.ts'

export type CheckpointSettings =
  | { kind: 'file'; path: string }
  | { kind: 's3'; bucket: BucketSettings; key: string }
  | { kind: 'none' }

export interface StoredDocument {
  text: string
  /** Names exactly this content. */
  version: string
}

/** All throw a StoreError. */
export interface CheckpointStore {
  /** `none`: there is no store, and nothing is ever read. */
  readonly name: 'file' | 's3' | 'none'
  /** Null: nothing was written yet. */
  read(): Promise<StoredDocument | null>
  /**
   * Durable once it returns, never in part. `version`: of the document that it replaces; null: there is none yet. Returns false where
   * somebody else has written meanwhile.
   */
  replace(text: string, version: string | null): Promise<boolean>
  close(): Promise<void>
}

/** For tools and tests that need none. */
export const noCheckpointStore: CheckpointStore = {
  name: 'none',
  read: async () => null,
  replace: async () => true,
  close: async () => undefined,
}
