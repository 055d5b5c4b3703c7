/**
 * How long backups are kept: so many of each kind and so many days, the newest good one for as long as its service is there, and all
 * of them 30 days longer than the service's data. First the row says that it is removed, then what it names goes: a kill in between is
 * taken up by the next look.
 */
import { hostingDays } from '#domain/hosting.ts'
import { type BackupType, backupTypes } from '#contract/backups.ts'
import { backupsByIds, backupsToRemove, placesToClear } from '#server/db/hosting/kept-backups.ts'
import { updateStored } from '#server/db/hosting/stored-backups.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { announceServices } from '#server/use-cases/hosting/announce.ts'
import { clearPlace, places } from '#server/use-cases/hosting/backups/places.ts'

const system = { role: 'portal_system' } as const
const dayMs = 86_400_000
const hourMs = 3_600_000
/** Of one look. */
const most = 50

/** Answers how many places were cleared. */
export async function keepBackups(app: AppContext): Promise<number> {
  await removeOld(app)
  const rows = await inTransaction(app, system, (db) => placesToClear(db, most), 'reading')
  let cleared = 0
  for (const row of rows) {
    if (row.place === null) continue
    try {
      await clearPlace(app, row.pdb_type, row.place)
    } catch (error) {
      app.log.warn({ err: error, backup: row.id }, 'a backup that is not needed any more could not be taken away')
      continue
    }
    await inTransaction(app, system, (db) => updateStored(db, row, { place: null }, app.clock()))
    cleared += 1
  }
  return cleared
}

async function removeOld(app: AppContext): Promise<void> {
  const now = app.clock()
  const { backupKeepCount: count, backupKeepDays } = app.config
  const keeping = { count, before: now - backupKeepDays * dayMs, erasedBefore: now - hostingDays.kept * dayMs, most }
  const rows = await inTransaction(app, system, (db) => backupsToRemove(db, keeping), 'reading')
  for (const row of rows) {
    await inTransaction(app, system, (db) => updateStored(db, row, { state: 'removed' }, app.clock()))
    announceServices(app, row.company_id)
  }
}

/** Once a day: what cut off puts have left, and what an overtaken try stored after it was given up. Answers how much went. */
export async function tidyBackups(app: AppContext): Promise<number> {
  let gone = await app.backups.store.tidy(dayMs)
  for (const type of backupTypes)
    for await (const place of strays(app, type)) {
      app.log.warn({ place }, 'a backup that no row names is taken away')
      await clearPlace(app, type, place)
      gone += 1
    }
  return gone
}

/**
 * Of a backup whose row is there and names another place or none. What is older than its row is left alone: the database may have
 * come out of a dump, and counts anew from there.
 */
async function* strays(app: AppContext, type: BackupType): AsyncGenerator<string> {
  const before = app.clock() - hourMs
  let held: string[] = []
  for await (const place of placesOf(app, type)) {
    held.push(place)
    if (held.length < 500) continue
    yield* await straysOf(app, type, held, before)
    held = []
  }
  yield* await straysOf(app, type, held, before)
}

async function* placesOf({ backups }: AppContext, type: BackupType): AsyncGenerator<string> {
  const { prefix } = places[type]
  if (type === 'pdb2rds') yield* await backups.copies.list(prefix)
  else for await (const { key } of backups.store.list(prefix)) yield key
}

async function straysOf(app: AppContext, type: BackupType, held: readonly string[], before: number): Promise<string[]> {
  const ids = held.map((place) => places[type].idIn(place)).filter((id) => id !== null)
  const rows = await inTransaction(app, system, (db) => backupsByIds(db, ids), 'reading')
  const byId = new Map(rows.map((row) => [row.id, row]))
  return held.filter((place) => {
    const row = byId.get(places[type].idIn(place) ?? 0)
    const time = places[type].timeIn(place)
    return row !== undefined && row.place !== place && time < before && time >= row.create_time - 1000
  })
}
