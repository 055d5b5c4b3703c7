/** What data is, in one SHA-256: the same for what a host gave out, an archive of it and a copy of it. */
import { createHash } from 'node:crypto'
import type { DataColumn, DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { formatLines } from '#server/use-cases/hosting/backups/lines.ts'

export interface BackupContents {
  /** SHA-256 of the lines (`lines.ts`) with their ends, as hex. */
  digest: string
  tables: number
  rows: number
}

/** Pieces that tell what they were, once the last of them was taken. */
export interface DigestedPieces extends AsyncIterable<DataPiece> {
  /** Throws before the end. */
  getContents(): BackupContents
}

/** Counts lines as they pass. */
export class ContentCounter {
  readonly #hash = createHash('sha256')
  #columns: readonly DataColumn[] = []
  #tableCount = 0
  #rowCount = 0

  /** Once. */
  finish(): BackupContents {
    return { digest: this.#hash.digest('hex'), tables: this.#tableCount, rows: this.#rowCount }
  }

  /** The piece's lines, each with its end: all of them have to be taken. */
  *toLines(piece: DataPiece): Generator<string> {
    if (piece.kind === 'table') {
      this.#columns = piece.columns
      this.#tableCount++
    }
    if (piece.kind === 'rows') this.#rowCount += piece.rows.length
    for (const line of formatLines(piece, this.#columns)) {
      const completeLine = `${line}\n`
      this.#hash.update(completeLine)
      yield completeLine
    }
  }
}

/** Passes the pieces through; to be read once. */
export function withDigest(pieces: AsyncIterable<DataPiece>): DigestedPieces {
  const counter = new ContentCounter()
  let contents: BackupContents | null = null
  return {
    async *[Symbol.asyncIterator]() {
      for await (const piece of pieces) {
        for (const _ of counter.toLines(piece));
        yield piece
      }
      contents = counter.finish()
    },
    getContents: () => requireContents(contents),
  }
}

export function requireContents(contents: BackupContents | null): BackupContents {
  if (contents === null) throw new Error('The contents are known once all pieces were taken.')
  return contents
}
