import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'

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
