/** One backup: the data of a service as it is at one moment, into an archive in the bucket or a copy in the second database. */
import { companyById } from '#server/db/accounts/companies.ts'
import { newestBackup, type StoredBackup, storedNow, updateStored } from '#server/db/hosting/stored-backups.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { DataPiece } from '#server/drivers/hosting/driver.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { writeArchive } from '#server/use-cases/hosting/backups/archive.ts'
import { type Contents, digested } from '#server/use-cases/hosting/backups/digest.ts'
import { identitiesOf, recipientOf } from '#server/use-cases/hosting/backups/keys.ts'
import { clearPlace, newPlace } from '#server/use-cases/hosting/backups/places.ts'
import { type Watched, watchStalls } from '#server/use-cases/hosting/backups/stalls.ts'
import { openMeter } from '#server/use-cases/hosting/traffic/meter.ts'

const system = { role: 'portal_system' } as const

/** What its row says once it is done. */
export interface Made extends Contents {
  place: string
  bytes: number
  sha256: string | null
  key_id: string | null
}

/** How much has moved, and about how much there will be; null: nobody knows. */
export type Telling = (moved: number, expected: number | null) => void

/**
 * Stores it under a place of its own, which its row names before anything lies there: what an earlier try has left there goes first.
 * Throws errors of host, stores and archives, and STATE_CONFLICT where it is not to be made any more.
 */
export async function makeBackup(app: AppContext, id: number, tell: Telling): Promise<Made> {
  const { backup, head, expected } = await inTransaction(app, system, async (db) => {
    const row = await storedNow(db, id)
    if (row?.state !== 'running') throw new ProblemError('STATE_CONFLICT', { why: row?.fault ?? 'interrupted' })
    const company = await companyById(db, row.company_id)
    const service = await db.selectFrom('service').select('name').where('id', '=', row.service_id).executeTakeFirst()
    const last = await newestBackup(db, row.service_id, row.pdb_type, 'done')
    const of = { companyCode: company?.code ?? '', name: service?.name ?? '' }
    return { backup: row, head: of, expected: last?.bytes ?? null }
  })
  if (backup.place !== null) await clearPlace(app, backup.pdb_type, backup.place)
  const now = app.clock()
  const place = newPlace(backup, now)
  const isStill = await inTransaction(app, system, (db) => updateStored(db, backup, { place }, now))
  if (!isStill) throw new ProblemError('STATE_CONFLICT', { why: 'interrupted' })

  const watched = watchStalls()
  const pieces = beating(app.hosting.readData({ serviceId: backup.service_id, code: backup.service_code }), watched)
  const told = (moved: number) => tell(moved, expected)
  if (backup.pdb_type === 'pdb2rds') return await watched.watch(copy(app, place, pieces))
  return await watched.watch(archive(app, { ...backup, place, ...head, time: now }, pieces, { watched, told }))
}

async function copy(app: AppContext, place: string, pieces: AsyncIterable<DataPiece>): Promise<Made> {
  const data = digested(pieces)
  const { bytes } = await app.backups.copies.write(place, data)
  return { place, bytes, sha256: null, key_id: null, ...data.contents() }
}

type Archived = StoredBackup & { place: string; companyCode: string; name: string; time: number }

async function archive(
  app: AppContext,
  { id, company_id: companyId, service_id: serviceId, service_code: code, place, companyCode, name, time }: Archived,
  pieces: AsyncIterable<DataPiece>,
  { watched, told }: { watched: Watched; told: (moved: number) => void },
): Promise<Made> {
  const [identity] = identitiesOf(app.config, companyId)
  const head = { backupId: id, companyId, companyCode, serviceId, code, name, time }
  const body = writeArchive(head, pieces, identity)
  const { meter, finish } = openMeter(app, { companyId, serviceId, run: `backup-${id}` })
  let moved = 0
  async function counted(bytes: number): Promise<void> {
    watched.beat()
    moved += bytes
    told(moved)
    await meter(bytes)
  }
  const stored = await app.backups.store.put(place, body, counted)
  // It is not done before what it moved is written down.
  await finish()
  return { place, ...stored, key_id: await recipientOf(app.config, companyId), ...body.contents() }
}

async function* beating<T>(given: AsyncIterable<T>, { beat }: Watched): AsyncGenerator<T> {
  for await (const one of given) {
    beat()
    yield one
    beat()
  }
}
