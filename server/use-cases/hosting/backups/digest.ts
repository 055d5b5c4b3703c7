/** Computes one SHA-256 over the data of an instance. The hash is the same for the host's data, an archive of it and a copy of it. */
import { createHash } from 'node:crypto'
import type { DataColumn, DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { formatLines } from '#server/drivers/hosting/data-lines.ts'

export interface BackupContents {
  /** SHA-256 of the rows (`data-lines.ts`) with their line ends, as hex. */
  digest: string
  tables: number
  rows: number
}

/** Data pieces whose digest is known after the last one was read. */
export interface DigestedPieces extends AsyncIterable<DataPiece> {
  /** Throws if the pieces were not read to the end. */
  getContents(): BackupContents
}

export class ContentCounter {
  readonly #hash = createHash('sha256')
  #columns: readonly DataColumn[] = []
  #tableCount = 0
  #rowCount = 0

  /** Must be called once, after the last piece. */
  finish(): BackupContents {
    return { digest: this.#hash.digest('hex'), tables: this.#tableCount, rows: this.#rowCount }
  }

  /** Yields the rows of a piece as JSON. The caller must read all of them, because they are counted when they are read. */
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
  if (contents === null) throw new Error('The contents are not known until all pieces were read.')
  return contents
}
