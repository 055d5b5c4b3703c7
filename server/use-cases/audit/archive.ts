/**
 * Moves old entries into a file (NDJSON: leaves, tiles, checkpoint). The file is read back and compared with the log before the entries are
 * deleted. The file proves its entries in the same way as the portal did.
 */
import { createHash } from 'node:crypto'
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import { isEqualHash, hashLength, hashLeaf } from '#domain/audit-log/hash.ts'
import { getHash, tileWidth } from '#domain/audit-log/tiles.ts'
import type { AppContext } from '#server/context/context.ts'
import {
  readArchivedEnd,
  type ArchivableRange,
  findArchivableRanges,
  deleteArchivedEntries,
} from '#server/db/audit/audit-archive.ts'
import { readLeaves } from '#server/db/audit/audit-list.ts'
import { tryLockLog, readLatestCheckpoint, getLogSize, readTile } from '#server/db/audit/audit-log.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { readObject, toBody } from '#server/drivers/file-store/bodies.ts'
import { ChangedLogError, findChangedIndex } from '#server/use-cases/audit/check-signed-edge.ts'
import { raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'

const systemScope = { role: 'portal_system' } as const
const yearMs = 365.25 * 86_400_000

const archivePrefix = 'audit-archive/'

/** Returns the number of archived entries. Archives nothing if `auditYears` is 0. */
export async function archiveOldEntries(app: AppContext): Promise<number> {
  const { auditYears } = app.config
  if (auditYears === 0) return 0
  const endBefore = app.clock() - Math.ceil(auditYears * yearMs)
  let archivedCount = 0
  for (let batchCount = -1; batchCount !== 0; archivedCount += batchCount) {
    batchCount = 0
    for (const entryRange of await runInTransaction(
      app,
      systemScope,
      (db) => findArchivableRanges(db, endBefore),
      'reading',
    ))
      batchCount += await archiveRange(app, entryRange)
  }
  return archivedCount
}

/** Locks the log, so that only one node writes the file. Returns the number of archived entries. */
function archiveRange(app: AppContext, entryRange: ArchivableRange): Promise<number> {
  const { companyId, from, to } = entryRange
  return runInTransaction(app, systemScope, async (db) => {
    if (!(await tryLockLog(db, companyId)) || (await readArchivedEnd(db, companyId)) !== from) return 0
    // The age of entries is read from columns that an attacker could change to remove entries from the trail. So the entries are checked
    // first.
    const changedIndex = await findChangedIndex(app, db, { ...entryRange, size: await getLogSize(db, companyId) })
    if (changedIndex !== null) {
      const changedRange = { from: changedIndex, to: changedIndex + 1 }
      raiseLogAlarm(
        app,
        companyId,
        new ChangedLogError(
          'ENTRY_DIFFERS',
          `entry ${changedIndex}, which is due to be archived, was changed or is missing`,
          changedRange,
        ),
      )
      return 0
    }
    const { name, sha256 } = await storeArchive(app, db, entryRange)
    const now = app.clock()
    const removedCount = await deleteArchivedEntries(db, { ...entryRange, sha256, now })
    const entryHeader = { companyId, userId: null, now, status: 0 as const, intent: null, requestId: 'archive' }
    await addAuditEntries(db, entryHeader, [
      { code: 'system', operation: 'remove', info: { File: name, From: from, To: to - 1, Sha256: sha256 } },
    ])
    return removedCount
  })
}

const toJsonLine = (value: unknown) => `${JSON.stringify(value)}\n`

async function readArchiveText(db: DatabaseHandle, { companyId, from, to }: ArchivableRange): Promise<string> {
  const leaves = await readLeaves(db, companyId, { from, to, limit: to - from })
  const tiles: string[] = []
  for (let index = from; index < to; index += tileWidth) {
    const hashes = (await readTile(db, companyId, 0, index / tileWidth)) ?? new Uint8Array()
    tiles.push(toJsonLine({ tile: index / tileWidth, hashes: toBase64(hashes) }))
  }
  const note = (await readLatestCheckpoint(db, companyId))?.note ?? null
  const entries = leaves.map(({ log_index: logIndex, leaf }) => toJsonLine({ index: logIndex, leaf }))
  return (
    toJsonLine({ format: 'saas-portal audit archive', v: 1, company: companyId, from, to, note }) +
    entries.join('') +
    tiles.join('')
  )
}

/**
 * Stores the archive and reads it back. An existing file is kept if it has these entries: an attempt that failed later has written it. Any
 * other file of that name may be the only copy of other entries, so it is kept too, and the archive gets a name with its hash.
 */
async function storeArchive(
  { files }: Pick<AppContext, 'files'>,
  db: DatabaseHandle,
  entryRange: ArchivableRange,
): Promise<{ name: string; sha256: string }> {
  const { companyId, from, to } = entryRange
  const text = await readArchiveText(db, entryRange)
  const hash = createHash('sha256').update(text).digest('hex')
  const baseName = `audit-${companyId}-${from}-${to}`
  let fault: string | null = null
  for (const name of [`${baseName}.ndjson`, `${baseName}-${hash.slice(0, 16)}.ndjson`]) {
    await files.put(`${archivePrefix}${name}`, toBody(text), { onlyIfAbsent: true })
    const bytes = await readObject(files, `${archivePrefix}${name}`)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    fault = await findArchiveFault(db, entryRange, bytes.toString())
    if (fault === null) return { name, sha256 }
  }
  throw new Error(`the archive ${baseName} does not contain the entries ${from} to ${to}: ${fault}`)
}

export async function findArchiveFault(
  db: DatabaseHandle,
  { companyId, from, to }: ArchivableRange,
  text: string,
): Promise<string | null> {
  const jsonLines = text.trimEnd().split('\n').slice(1)
  const archiveRows = parseRows(jsonLines)
  if (archiveRows === null) return 'it is not NDJSON'
  const leaves = archiveRows.filter(({ leaf }) => leaf !== undefined)
  if (leaves.length !== to - from) return `it has ${leaves.length} leaves`
  for (let tileStart = from; tileStart < to; tileStart += tileWidth) {
    const tile = (await readTile(db, companyId, 0, tileStart / tileWidth)) ?? new Uint8Array()
    const archivedHashes = fromBase64(
      archiveRows.find(({ tile: tileIndex }) => tileIndex === tileStart / tileWidth)?.hashes ?? '',
    )
    if (tile.length !== tileWidth * hashLength || !archivedHashes || !isEqualHash(archivedHashes, tile))
      return `tile ${tileStart / tileWidth} differs`
    for (let logIndex = tileStart; logIndex < tileStart + tileWidth; logIndex++) {
      const entry = leaves[logIndex - from]
      if (entry?.index !== logIndex || !isEqualHash(hashLeaf(entry.leaf ?? ''), getHash(tile, logIndex - tileStart)))
        return `entry ${logIndex} differs`
    }
  }
  return null
}

interface ArchiveRow {
  index?: number
  leaf?: string
  tile?: number
  hashes?: string
}

function parseRows(jsonLines: readonly string[]): ArchiveRow[] | null {
  try {
    return jsonLines.map((jsonLine) => JSON.parse(jsonLine) as ArchiveRow)
  } catch {
    // A file with other content is a fault, not an error of the caller.
    return null
  }
}
