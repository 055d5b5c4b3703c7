/** Where backups go: archives to a bucket (pdb2s3), tables and rows to a second database (pdb2rds). What is there is whole. */
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'

export type StoreFault =
  /** Nobody answers there; it may turn out differently later. */
  | 'unreachable'
  /** It refuses us: keys, rights, the bucket's name. */
  | 'refused'
  | 'no_room'
  /** What came back is not what was written. */
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

/** Hears how many bytes went over the line, as they do: of a part that was sent again, again. May be waited for. */
export type ByteMeter = (bytes: number) => void | Promise<void>

export interface StoredObject {
  key: string
  bytes: number
  /** Epoch ms. */
  modifiedAt: number
}

/** A bucket, or a folder with the same layout. All throw a StoreError. */
export interface BackupStore {
  readonly name: 's3' | 'local'
  /** Under that key once all of it is there and durable, never in part; another one under the key is replaced. SHA-256 as hex. */
  put(key: string, body: AsyncIterable<Uint8Array>, meter: ByteMeter): Promise<{ bytes: number; sha256: string }>
  get(key: string, meter: ByteMeter): AsyncIterable<Uint8Array>
  /** Oldest key first. */
  list(prefix: string): AsyncIterable<StoredObject>
  /** Nothing to do where it is not there. */
  remove(key: string): Promise<void>
  /** What puts that were cut off have left, older than so many ms. Answers how many. */
  cleanUp(olderThanMs: number): Promise<number>
  close(): Promise<void>
}

/** A second database: a schema for each copy. All throw a StoreError. */
export interface CopyTarget {
  readonly name: 'postgres' | 'embedded'
  /** In one transaction: a schema of that name is there with all of it, or not at all; another one of the name is replaced. */
  write(schemaName: string, pieces: AsyncIterable<DataPiece>): Promise<{ bytes: number }>
  read(schemaName: string): AsyncIterable<DataPiece>
  /** Names that begin with it, sorted. */
  list(prefix: string): Promise<string[]>
  /** Nothing to do where it is not there. */
  remove(schemaName: string): Promise<void>
  close(): Promise<void>
}
