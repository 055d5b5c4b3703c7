/** Formats and parses the lines of an archive: the first names its source, then the data follows (`data-lines.ts`), and the last proves both. */
import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { createDamagedError } from '#server/use-cases/hosting/backups/archive-error.ts'
import { ContentCounter, type BackupContents } from '#server/use-cases/hosting/backups/digest.ts'
import { DataLineReader, LineError } from '#server/drivers/hosting/data-lines.ts'

export interface ArchiveHead {
  backupId: number
  companyId: number
  companyCode: string
  serviceId: number
  code: string
  name: string
  /** Time of the backup in epoch ms. */
  time: number
}

/** Version of the archive format. It is raised if older portals could no longer read a new archive. */
const formatVersion = 1

export const formatFirstLine = (head: ArchiveHead): string => JSON.stringify({ archive: formatVersion, ...head })

export const formatLastLine = (identity: string, firstLine: string, contents: BackupContents): string =>
  JSON.stringify({ ...contents, seal: computeSeal(identity, firstLine, contents.digest).toString('hex') })

/**
 * Computes the seal of an archive. It covers the first line, which names the service, so that an archive cannot be passed off as one of
 * another service.
 */
function computeSeal(identity: string, firstLine: string, digest: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', identity, '', 'backups: seal of archives', 32))
  return createHmac('sha256', key).update(createHash('sha256').update(firstLine).digest()).update(digest).digest()
}

/** Parses the lines of an archive. Throws a BackupArchiveError if they are not a complete archive. */
export class ArchiveLineReader {
  readonly #identities: readonly string[]
  readonly #counter = new ContentCounter()
  #firstLine: string | null = null
  readonly #reader = new DataLineReader()
  head: ArchiveHead | null = null
  contents: BackupContents | null = null

  constructor(identities: readonly string[]) {
    this.#identities = identities
  }

  readLine(line: string): DataPiece[] {
    try {
      if (this.#firstLine === null) return this.#readFirst(line)
      if (this.#reader.hasEnded) return this.#readLast(line, this.#firstLine)
      const pieces = this.#reader.readLine(line)
      for (const piece of pieces) for (const _ of this.#counter.toLines(piece));
      return pieces
    } catch (error) {
      throw error instanceof LineError ? createDamagedError(error.message, error) : error
    }
  }

  #readFirst(line: string): DataPiece[] {
    this.head = parseHead(line)
    this.#firstLine = line
    return []
  }

  /** Must be called after the last row. Throws a BackupArchiveError if the archive is incomplete. */
  finish(): void {
    if (this.contents === null) throw createDamagedError('it ends too early')
  }

  #readLast(line: string, firstLine: string): DataPiece[] {
    if (this.contents !== null) throw createDamagedError('it continues after its last line')
    const contents = this.#counter.finish()
    const isSame = this.#identities.some((identity) => isEqual(line, formatLastLine(identity, firstLine, contents)))
    if (!isSame) throw createDamagedError('its digest or its seal does not match')
    this.contents = contents
    return []
  }
}

const isEqual = (line: string, otherLine: string) =>
  line.length === otherLine.length && timingSafeEqual(Buffer.from(line), Buffer.from(otherLine))

function parseHead(line: string): ArchiveHead {
  const { archive, ...head } = parseObject(line)
  if (archive !== formatVersion)
    throw createDamagedError(`this portal does not support its format (${JSON.stringify(archive)})`)
  const { backupId, companyId, companyCode, serviceId, code, name, time } = head
  const numberFields = [backupId, companyId, serviceId, time]
  const textFields = [companyCode, code, name]
  if (!numberFields.every(Number.isSafeInteger) || !textFields.every((text) => typeof text === 'string'))
    throw createDamagedError('its first line is incomplete')
  return { backupId, companyId, companyCode, serviceId, code, name, time } as ArchiveHead
}

function parseObject(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    throw createDamagedError('its first line is not JSON')
  }
}
