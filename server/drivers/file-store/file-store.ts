/** Defines the store of files: a folder, or a bucket of S3 with the same keys. Stored files are always complete. */
import { join } from 'node:path'
import { requireObjectKey } from '#server/drivers/file-store/object-key.ts'
import type { BucketSettings } from '#server/drivers/file-store/bucket-settings.ts'

/** Called with the number of transferred bytes; repeated parts are counted again. The transfer waits for the returned promise. */
export type ByteMeter = (bytes: number) => void | Promise<void>

export interface StoredObject {
  key: string
  bytes: number
  /** Epoch ms, by the clock of the store. */
  modifiedAt: number
}

export interface PutOptions {
  meter?: ByteMeter
  /** Keeps an existing object of that key. The body is read in any case. */
  onlyIfAbsent?: boolean
}

export interface PutResult {
  bytes: number
  /** In hex. */
  sha256: string
  /** False if `onlyIfAbsent` was set and there was an object: nothing was written. */
  isWritten: boolean
}

export interface GetOptions {
  meter?: ByteMeter
  /** Part of the object: from the byte `start`, `length` bytes or fewer if the object ends before. */
  range?: { start: number; length: number }
}

export type StoreLocation =
  | { kind: 'folder'; folder: string }
  /** `prefix` is empty or ends with a slash. The store adds it to every key. */
  | { kind: 's3'; bucket: BucketSettings; prefix: string }

/**
 * A bucket, or a folder with the same layout. Its errors are StoreErrors; errors of `body` and `meter` are rethrown unchanged. A key that
 * `requireObjectKey` does not allow is `refused`.
 */
export interface FileStore {
  readonly location: StoreLocation
  /** Stores an object. It becomes visible when it is complete and durable, and replaces an existing one unless `onlyIfAbsent` is set. */
  put(key: string, body: AsyncIterable<Uint8Array>, options?: PutOptions): Promise<PutResult>
  /** Throws `missing`. */
  get(key: string, options?: GetOptions): AsyncIterable<Uint8Array>
  /** Returns null if there is no such object. */
  stat(key: string): Promise<StoredObject | null>
  /** Lists the objects whose keys begin with `prefix`, sorted by key. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Does nothing if there is no such object. */
  remove(key: string): Promise<void>
  /**
   * Removes remains of interrupted `put` calls that are older than `olderThanMs` and, in a bucket, whose keys begin with `prefix`. Returns
   * how many were removed.
   */
  cleanUp(olderThanMs: number, prefix: string): Promise<number>
  close(): Promise<void>
}

/** Returns the path of an object that is a file of this machine, and null for a bucket. Throws `refused`. */
export function getLocalPath({ location }: FileStore, key: string): string | null {
  const objectKey = requireObjectKey(key)
  return location.kind === 'folder' ? join(location.folder, objectKey) : null
}
