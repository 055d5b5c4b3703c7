/** What stands in an archive, line by line: what it is of, the data (`lines.ts`), and what proves it. */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { DataColumn, DataPiece, DataValue } from '#server/drivers/hosting/driver.ts'
import { damaged } from '#server/use-cases/hosting/backups/archive-error.ts'
import { ContentCounter, type Contents } from '#server/use-cases/hosting/backups/digest.ts'
import { LineError, readMark, readRow } from '#server/use-cases/hosting/backups/lines.ts'

/** What an archive is of. */
export interface ArchiveHead {
  backupId: number
  companyId: number
  companyCode: string
  serviceId: number
  code: string
  name: string
  /** Epoch ms. */
  time: number
}

/** Raised when an older portal could not read it. */
const format = 1
const maxTables = 10_000
/** Of one piece that is given out. */
const maxRows = 1_000
const maxSigns = 4 * 2 ** 20

export const firstLine = (head: ArchiveHead): string => JSON.stringify({ archive: format, ...head })

export const lastLine = (identity: string, first: string, contents: Contents): string =>
  JSON.stringify({ ...contents, seal: sealOf(identity, first, contents.digest).toString('hex') })

/** Of the first line, too: an archive cannot be given out as one of another service. */
function sealOf(identity: string, first: string, digest: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', identity, '', 'backups: seal of archives', 32))
  return createHmac('sha256', key).update(createHash('sha256').update(first).digest()).update(digest).digest()
}

/** Throws an ArchiveError where the lines are not those of a whole archive. */
export class ArchiveLines {
  readonly #identities: readonly string[]
  readonly #counter = new ContentCounter()
  #first: string | null = null
  #columns: readonly DataColumn[] | null = null
  #tables = 0
  #rows: DataValue[][] = []
  #signs = 0
  #hasEnded = false
  head: ArchiveHead | null = null
  contents: Contents | null = null

  constructor(identities: readonly string[]) {
    this.#identities = identities
  }

  /** The pieces that are whole with it. */
  take(line: string): DataPiece[] {
    try {
      if (this.#first === null) return this.#takeFirst(line)
      if (this.#hasEnded) return this.#takeLast(line, this.#first)
      return line.startsWith('[') ? this.#takeRow(line) : this.#takeMark(line)
    } catch (error) {
      throw error instanceof LineError ? damaged(error.message, error) : error
    }
  }

  #takeFirst(line: string): DataPiece[] {
    this.head = headOf(line)
    this.#first = line
    return []
  }

  #takeRow(line: string): DataPiece[] {
    if (this.#columns === null) throw damaged('a row stands before its table')
    this.#rows.push(readRow(line, this.#columns))
    this.#signs += line.length
    return this.#rows.length < maxRows && this.#signs < maxSigns ? [] : this.#heldRows()
  }

  #takeMark(line: string): DataPiece[] {
    const mark = readMark(line)
    const rows = this.#heldRows()
    if (mark.kind === 'end') this.#hasEnded = true
    else if (++this.#tables > maxTables) throw damaged('it has too many tables')
    else this.#columns = mark.columns
    return [...rows, this.#counted(mark)]
  }

  /** There are no more lines. */
  finish(): void {
    if (this.contents === null) throw damaged('it ends too early')
  }

  #heldRows(): DataPiece[] {
    if (this.#rows.length === 0) return []
    const rows = this.#rows
    this.#rows = []
    this.#signs = 0
    return [this.#counted({ kind: 'rows', rows })]
  }

  #counted(piece: DataPiece): DataPiece {
    for (const _ of this.#counter.linesOf(piece));
    return piece
  }

  #takeLast(line: string, first: string): DataPiece[] {
    if (this.contents !== null) throw damaged('something stands behind its end')
    const contents = this.#counter.finish()
    const isSame = this.#identities.some((identity) => isEqual(line, lastLine(identity, first, contents)))
    if (!isSame) throw damaged('its digest or its seal does not fit')
    this.contents = contents
    return []
  }
}

const isEqual = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))

function headOf(line: string): ArchiveHead {
  const { archive, ...head } = asObject(line)
  if (archive !== format) throw damaged(`it is of a format (${JSON.stringify(archive)}) that this portal does not read`)
  const { backupId, companyId, companyCode, serviceId, code, name, time } = head
  const numbers = [backupId, companyId, serviceId, time]
  const texts = [companyCode, code, name]
  if (!numbers.every(Number.isSafeInteger) || !texts.every((text) => typeof text === 'string'))
    throw damaged('its first line does not say what it is of')
  return { backupId, companyId, companyCode, serviceId, code, name, time } as ArchiveHead
}

function asObject(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    throw damaged('its first line is no JSON')
  }
}
