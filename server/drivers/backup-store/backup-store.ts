/**
 * Defines the stores of backups: archives in a bucket (pdb2s3), tables in a second database (pdb2rds). Stored backups are always complete.
 */
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'

export type StoreFault =
  /** The store does not respond, or has an error. A later attempt may succeed. */
  | 'unreachable'
  /** Access was refused: wrong keys, missing rights or a wrong bucket name. */
  | 'refused'
  | 'no_room'
  /** The content that was read differs from the content that was written. */
  | 'damaged'
  | 'missing'

export class StoreError extends Error {
  readonly fault: StoreFault
  constructor(fault: StoreFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreError'
    this.fault = fault
  }
}

/** Called with the number of transferred bytes; repeated parts are counted again. The transfer waits for the returned promise. */
export type ByteMeter = (bytes: number) => void | Promise<void>

export interface StoredObject {
  key: string
  bytes: number
  /** Epoch ms. */
  modifiedAt: number
}

/** A bucket, or a folder with the same layout. Its errors are StoreErrors; errors of `body` and `meter` are rethrown unchanged. */
export interface BackupStore {
  readonly name: 's3' | 'local'
  /** Stores an object. It becomes visible when it is complete and durable, and replaces an existing one. The SHA-256 is in hex. */
  put(key: string, body: AsyncIterable<Uint8Array>, meter: ByteMeter): Promise<{ bytes: number; sha256: string }>
  get(key: string, meter: ByteMeter): AsyncIterable<Uint8Array>
  /** Lists the objects, sorted by key. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Does nothing if there is no such object. */
  remove(key: string): Promise<void>
  /** Removes remains of interrupted `put` calls that are older than `olderThanMs`. Returns how many were removed. */
  cleanUp(olderThanMs: number): Promise<number>
  close(): Promise<void>
}

/** A second database with one schema per copy. Its errors are StoreErrors; errors of `pieces` are rethrown unchanged. */
export interface CopyTarget {
  readonly name: 'postgres' | 'embedded'
  /** Writes the complete copy in one transaction. Replaces an existing schema of that name. */
  write(schemaName: string, pieces: AsyncIterable<DataPiece>): Promise<{ bytes: number }>
  read(schemaName: string): AsyncIterable<DataPiece>
  /** Returns the names of schemas that begin with the prefix, sorted. */
  list(prefix: string): Promise<string[]>
  /** Does nothing if there is no such schema. */
  remove(schemaName: string): Promise<void>
  close(): Promise<void>
}
