/**
 * The tables of the data as they are sent and received. Both storages use the same texts, which are those of SQLite, so data can be moved
 * from one to the other, and restored by tools that know SQLite only.
 */
import { DatabaseSync } from 'node:sqlite'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { readPieces } from '#server/drivers/hosting/local/read-data.ts'
import { createSchema } from '#demo/sample-instance/storage/sqlite-store.ts'

export type TablePiece = Extract<DataPiece, { kind: 'table' }>

export interface SampleTables {
  /** Sorted by name. */
  tables: readonly TablePiece[]
  endStatements: readonly string[]
}

export function readSampleTables(): SampleTables {
  const database = new DatabaseSync(':memory:')
  try {
    createSchema(database)
    const pieces = [...readPieces(database)]
    return {
      tables: pieces.filter((piece) => piece.kind === 'table'),
      endStatements: pieces.flatMap((piece) => (piece.kind === 'end' ? piece.statements : [])),
    }
  } finally {
    database.close()
  }
}
