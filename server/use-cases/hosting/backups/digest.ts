/** What data is, in one SHA-256: the same for what a host gave out, an archive of it and a copy of it. */
import { createHash } from 'node:crypto'
import type { DataColumn, DataPiece } from '#server/drivers/hosting/driver.ts'
import { linesOf } from '#server/use-cases/hosting/backups/lines.ts'

export interface Contents {
  /** SHA-256 of the lines (`lines.ts`) with their ends, as hex. */
  digest: string
  tables: number
  rows: number
}

/** Pieces that tell what they were, once the last of them was taken. */
export interface Digested extends AsyncIterable<DataPiece> {
  /** Throws before the end. */
  contents(): Contents
}

/** Counts lines as they pass. */
export class ContentCounter {
  readonly #hash = createHash('sha256')
  #columns: readonly DataColumn[] = []
  #tables = 0
  #rows = 0

  /** Once. */
  finish(): Contents {
    return { digest: this.#hash.digest('hex'), tables: this.#tables, rows: this.#rows }
  }

  /** The piece's lines, each with its end: all of them have to be taken. */
  *linesOf(piece: DataPiece): Generator<string> {
    if (piece.kind === 'table') {
      this.#columns = piece.columns
      this.#tables++
    }
    if (piece.kind === 'rows') this.#rows += piece.rows.length
    for (const line of linesOf(piece, this.#columns)) {
      const whole = `${line}\n`
      this.#hash.update(whole)
      yield whole
    }
  }
}

/** Passes the pieces through; to be read once. */
export function digested(pieces: AsyncIterable<DataPiece>): Digested {
  const counter = new ContentCounter()
  let contents: Contents | null = null
  return {
    async *[Symbol.asyncIterator]() {
      for await (const piece of pieces) {
        for (const _ of counter.linesOf(piece));
        yield piece
      }
      contents = counter.finish()
    },
    contents: () => known(contents),
  }
}

export function known(contents: Contents | null): Contents {
  if (contents === null) throw new Error('The contents are known once all pieces were taken.')
  return contents
}
