/** Publishes uploaded apps in a job (contracts 4, 8). */
import { findSelectionFaults } from '#domain/catalogue/mapp.ts'
import type { publishApps } from '#contract/staff/apps.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import * as uploads from '#server/db/catalogue/app-uploads.ts'
import { readAsSystem } from '#server/db/transaction.ts'
import { lockCatalogue } from '#server/db/catalogue/catalogue.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { startJob } from '#server/use-cases/job-requests.ts'
import { storeUploadedPackage } from '#server/use-cases/uploads/stored-packages.ts'
import { buildMappEntry, publishMapp } from '#server/use-cases/uploads/store-mapp.ts'
import { buildUploadRows } from '#server/use-cases/uploads/uploads.ts'

export interface PublishInput {
  modules: string[]
  companyId: number
  userId: number
  intent: string | null
  requestId: string
}

export const publishJob = 'publish-apps'
const dayMs = 86_400_000

/**
 * Throws STATE_CONFLICT with `why`: `gone` for MD5s without an upload, `status` for files that are neither new apps nor upgrades, `twice`
 * for codes with more than one version.
 */
export const startPublishing: UseCase<typeof publishApps> = async (context, { body }) => {
  const { db, caller, now, intent, requestId } = context
  const modules = [...new Set(body.modules)]
  const uploadRecords = await uploads.lockReadUploads(db, caller.userId, modules)
  const activeRecords = uploadRecords.filter(({ until }) => until > now)
  const missingHashes = modules.filter((md5) => activeRecords.every((record) => record.md5 !== md5))
  if (missingHashes.length > 0) throw new ProblemError('STATE_CONFLICT', { why: 'gone', md5: missingHashes })
  const { unpublishable: unpublishableFiles, repeatedCodes: duplicateCodes } = findSelectionFaults(
    await buildUploadRows(db, activeRecords),
  )
  if (unpublishableFiles.length > 0)
    throw new ProblemError('STATE_CONFLICT', {
      why: 'status',
      files: unpublishableFiles.map(({ name, md5, code, version, status, why: reason }) => ({
        name,
        md5,
        code,
        version,
        status,
        reason,
      })),
    })
  if (duplicateCodes.length > 0) throw new ProblemError('STATE_CONFLICT', { why: 'twice', codes: duplicateCodes })
  // The uploads must not expire while the job waits.
  await uploads.extendUploads(
    db,
    activeRecords.map(({ id }) => id),
    now + dayMs,
  )
  const { companyId, userId } = caller
  const input: PublishInput = { modules, companyId, userId, intent, requestId }
  return startJob(context, { kind: publishJob, input, progressKey: body.progressKey })
}

export interface PublishResult {
  /** Name and version of the app. Null if the upload no longer exists. */
  name: string | null
  uploadId: string | null
}

/**
 * Stores the package of an upload before the transaction that publishes it, because the transaction locks the catalogue. Does nothing if
 * the upload no longer exists.
 */
export async function storePackageOfUpload(app: AppContext, input: PublishInput, md5: string): Promise<void> {
  const [record] = await readAsSystem(app, (db) => uploads.findLatestUploads(db, input.userId, [md5]))
  if (record?.sha256) await storeUploadedPackage(app, record.id, record.sha256)
}

/**
 * Publishes one upload in the transaction of `db`, as the system role. The first publisher of a version wins. An upload is left unchanged
 * if it is no longer a new app or an upgrade, or if it was already published before a kill.
 */
export async function publishOne(
  app: AppContext,
  db: DatabaseHandle,
  input: PublishInput,
  md5: string,
): Promise<PublishResult> {
  const now = app.clock()
  await lockCatalogue(db)
  const [record] = await uploads.lockReadUploads(db, input.userId, [md5])
  const [row] = record ? await buildUploadRows(db, [record]) : []
  if (!record?.manifest || !row) return findPublishedApp(db, input, md5)
  const name = `${row.app_name} ${row.version}`
  if (row.status > 1) return { name, uploadId: null }
  const { manifest } = record
  const { sha256, icon, markdown } = record
  if (sha256 === null) throw new Error('the upload was read but has no SHA-256')
  await storeUploadedPackage(app, record.id, sha256)
  await publishMapp(db, { manifest, sha256, icon, markdown }, now)
  await uploads.markPublished(db, record.id, now)
  const { companyId, userId, intent, requestId } = input
  await addAuditEntries(db, { companyId, userId, now, status: 0, intent, requestId }, [
    buildMappEntry('create', manifest, record.name),
  ])
  return { name, uploadId: record.id }
}

async function findPublishedApp(db: DatabaseHandle, { userId }: PublishInput, md5: string): Promise<PublishResult> {
  const [lastUpload] = await uploads.findLatestUploads(db, userId, [md5])
  return {
    name: lastUpload?.manifest ? `${lastUpload.manifest.name} ${lastUpload.manifest.version}` : null,
    uploadId: lastUpload?.id ?? null,
  }
}

export async function readPublishedRows(
  db: DatabaseHandle,
  input: PublishInput,
): Promise<OutputOf<typeof publishApps>> {
  const rows = await buildUploadRows(db, await uploads.findLatestUploads(db, input.userId, input.modules))
  return input.modules.flatMap((md5) => rows.filter((row) => row.md5 === md5))
}
