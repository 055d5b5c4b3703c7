/** Backs up a service's data at one moment: an archive in the bucket, or a copy in the second database. */
import { findCompanyById } from '#server/db/accounts/companies.ts'
import {
  findLatestBackup,
  type StoredBackup,
  findAnyStoredBackup,
  updateStoredBackup,
} from '#server/db/hosting/stored-backups.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { writeArchive } from '#server/use-cases/hosting/backups/archive.ts'
import { type BackupContents, withDigest } from '#server/use-cases/hosting/backups/digest.ts'
import { getIdentities, getRecipient } from '#server/use-cases/hosting/backups/backup-identities.ts'
import { clearLocation, createLocation } from '#server/use-cases/hosting/backups/backup-locations.ts'
import { type StallWatch, watchStalls, withActivityReports } from '#server/use-cases/hosting/backups/stalls.ts'
import { openMeter } from '#server/use-cases/hosting/traffic/meter.ts'

export interface BackupResult extends BackupContents {
  location: string
  bytes: number
  sha256: string | null
  key_id: string | null
}

/** Called with the number of transferred bytes and the expected total, which is null if it is unknown. */
export type ProgressListener = (movedBytes: number, expectedBytes: number | null) => void

/**
 * The new location is written to the row before any data is stored there. Data of an earlier try is deleted first. Throws errors of host,
 * stores and archives, and STATE_CONFLICT if the backup is no longer wanted.
 */
export async function makeBackup(app: AppContext, id: number, onProgress: ProgressListener): Promise<BackupResult> {
  const { backup, headNames, expectedBytes } = await writeAsSystem(app, async (db) => {
    const row = await findAnyStoredBackup(db, id)
    if (row?.state !== 'running') throw new ProblemError('STATE_CONFLICT', { why: row?.fault ?? 'interrupted' })
    const company = await findCompanyById(db, row.company_id)
    const service = await db.selectFrom('service').select('name').where('id', '=', row.service_id).executeTakeFirst()
    const lastBackup = await findLatestBackup(db, row.service_id, row.pdb_type, 'done')
    const names = { companyCode: company?.code ?? '', name: service?.name ?? '' }
    return { backup: row, headNames: names, expectedBytes: lastBackup?.bytes ?? null }
  })
  if (backup.location !== null) await clearLocation(app, backup.pdb_type, backup.location)
  const now = app.clock()
  const location = createLocation(backup, now)
  const isCurrent = await writeAsSystem(app, (db) => updateStoredBackup(db, backup, { location }, now))
  if (!isCurrent) throw new ProblemError('STATE_CONFLICT', { why: 'interrupted' })

  const stallWatch = watchStalls()
  const pieces = withActivityReports(
    app.hosting.readData({ serviceId: backup.service_id, code: backup.service_code }),
    stallWatch,
  )
  const onBytes = (movedBytes: number) => onProgress(movedBytes, expectedBytes)
  if (backup.pdb_type === 'pdb2rds') return await stallWatch.watch(writeCopy(app, location, pieces))
  return await stallWatch.watch(
    storeArchive(app, { ...backup, location, ...headNames, time: now }, pieces, { stallWatch, onBytes }),
  )
}

async function writeCopy(app: AppContext, location: string, pieces: AsyncIterable<DataPiece>): Promise<BackupResult> {
  const digestedPieces = withDigest(pieces)
  const { bytes } = await app.backups.copies.write(location, digestedPieces)
  return { location, bytes, sha256: null, key_id: null, ...digestedPieces.getContents() }
}

type ArchiveInput = StoredBackup & { location: string; companyCode: string; name: string; time: number }

async function storeArchive(
  app: AppContext,
  {
    id,
    company_id: companyId,
    service_id: serviceId,
    service_code: code,
    location,
    companyCode,
    name,
    time,
  }: ArchiveInput,
  pieces: AsyncIterable<DataPiece>,
  { stallWatch, onBytes }: { stallWatch: StallWatch; onBytes: (movedBytes: number) => void },
): Promise<BackupResult> {
  const [identity] = getIdentities(app.config, companyId)
  const head = { backupId: id, companyId, companyCode, serviceId, code, name, time }
  const body = writeArchive(head, pieces, identity)
  const { meter, finish } = openMeter(app, { companyId, serviceId, run: `backup-${id}` })
  let movedBytes = 0
  async function countBytes(bytes: number): Promise<void> {
    stallWatch.reportActivity()
    movedBytes += bytes
    onBytes(movedBytes)
    await meter(bytes)
  }
  const { bytes, sha256 } = await app.backups.store.put(location, body, { meter: countBytes })
  // A backup is complete only after its traffic is recorded.
  await finish()
  return { location, bytes, sha256, key_id: await getRecipient(app.config, companyId), ...body.getContents() }
}
