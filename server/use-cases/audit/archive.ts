/**
 * Entries that are older than they must be kept go into a file (NDJSON: leaves, tiles, checkpoint), which is read back and checked
 * against the log before they leave the database. The file proves them as the portal did.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fromBase64, toBase64 } from '#domain/audit-log/base64.ts'
import { equalHashes, hashBytes, leafHash } from '#domain/audit-log/hash.ts'
import { hashAt, tileWidth } from '#domain/audit-log/tiles.ts'
import type { AppContext } from '#server/context/context.ts'
import { archivedUpTo, type OldStretch, oldStretches, removeArchived } from '#server/db/audit/audit-archive.ts'
import { leavesFrom } from '#server/db/audit/audit-list.ts'
import { lockLog, newestCheckpoint, sizeOf, tileOf } from '#server/db/audit/audit-log.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { ChangedLogError, findChangedPlace } from '#server/use-cases/audit/check-signed-edge.ts'
import { raiseLogAlarm } from '#server/use-cases/audit/log-alarms.ts'

const system = { role: 'portal_system' } as const
const yearMs = 365.25 * 86_400_000

export const archiveFolder = ({ config }: Pick<AppContext, 'config'>) => join(config.filesDir, 'audit-archive')

/** Answers how many entries went. Nothing goes where the setting says never. */
export async function archiveOld(app: AppContext): Promise<number> {
  const { auditYears } = app.config
  if (auditYears === 0) return 0
  const before = app.clock() - Math.ceil(auditYears * yearMs)
  let gone = 0
  for (let went = -1; went !== 0; gone += went) {
    went = 0
    for (const stretch of await inTransaction(app, system, (db) => oldStretches(db, before), 'reading'))
      went += await archive(app, stretch)
  }
  return gone
}

/** In one transaction with its log held, so that of several nodes one writes the file. Answers how many entries went. */
function archive(app: AppContext, stretch: OldStretch): Promise<number> {
  const { companyId, from, to } = stretch
  const name = `audit-${companyId}-${from}-${to}.ndjson`
  return inTransaction(app, system, async (db) => {
    if (!(await lockLog(db, companyId)) || (await archivedUpTo(db, companyId)) !== from) return 0
    // How old entries are is read from their columns: an entry that was made older there would leave the trail.
    const place = await findChangedPlace(app, db, { ...stretch, size: await sizeOf(db, companyId) })
    if (place !== null) {
      const places = { from: place, to: place + 1 }
      raiseLogAlarm(app, companyId, new ChangedLogError('ENTRY_DIFFERS', `entry ${place}, to be archived`, places))
      return 0
    }
    await writeDurably(archiveFolder(app), name, await linesOf(db, stretch))
    const bytes = await readFile(join(archiveFolder(app), name))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const fault = await archiveFault(db, stretch, bytes.toString())
    if (fault) throw new Error(`${name} does not hold the entries ${from} to ${to}: ${fault}`)
    const now = app.clock()
    const removed = await removeArchived(db, { ...stretch, sha256, now })
    const head = { companyId, userId: null, now, status: 0 as const, intent: null, requestId: 'archive' }
    await addToTrail(db, head, [
      { code: 'system', operation: 'remove', info: { File: name, From: from, To: to - 1, Sha256: sha256 } },
    ])
    return removed
  })
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`

async function linesOf(db: Handle, { companyId, from, to }: OldStretch): Promise<string> {
  const leaves = await leavesFrom(db, companyId, { from, to, most: to - from })
  const tiles: string[] = []
  for (let at = from; at < to; at += tileWidth) {
    const hashes = (await tileOf(db, companyId, 0, at / tileWidth)) ?? new Uint8Array()
    tiles.push(line({ tile: at / tileWidth, hashes: toBase64(hashes) }))
  }
  const note = (await newestCheckpoint(db, companyId))?.note ?? null
  const entries = leaves.map(({ log_index: index, leaf }) => line({ index, leaf }))
  return (
    line({ format: 'saas-portal audit archive', v: 1, company: companyId, from, to, note }) +
    entries.join('') +
    tiles.join('')
  )
}

/** Under another name first: a file with its own name is whole. */
async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const partial = join(folder, `${name}.partial`)
  const file = await open(partial, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(partial, join(folder, name))
}

/** What of the file is not what the log has; null: all of it is. */
export async function archiveFault(
  db: Handle,
  { companyId, from, to }: OldStretch,
  text: string,
): Promise<string | null> {
  const lines = text.trimEnd().split('\n').slice(1)
  const read = lines.map((one) => JSON.parse(one) as { index?: number; leaf?: string; tile?: number; hashes?: string })
  const leaves = read.filter(({ leaf }) => leaf !== undefined)
  if (leaves.length !== to - from) return `${leaves.length} leaves`
  for (let at = from; at < to; at += tileWidth) {
    const tile = (await tileOf(db, companyId, 0, at / tileWidth)) ?? new Uint8Array()
    const kept = fromBase64(read.find(({ tile: one }) => one === at / tileWidth)?.hashes ?? '')
    if (tile.length !== tileWidth * hashBytes || !kept || !equalHashes(kept, tile)) return `tile ${at / tileWidth}`
    for (let place = at; place < at + tileWidth; place++) {
      const entry = leaves[place - from]
      if (entry?.index !== place || !equalHashes(leafHash(entry.leaf ?? ''), hashAt(tile, place - at)))
        return `entry ${place}`
    }
  }
  return null
}
