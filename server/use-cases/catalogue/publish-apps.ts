/** Publishing what was uploaded (contracts 4, 8): asked for by the MD5 of each file, done by a long request. */
import { choiceFaults } from '#domain/catalogue/mapp.ts'
import type { publishApps } from '#contract/apps.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import * as uploads from '#server/db/catalogue/app-uploads.ts'
import { lockCatalogue } from '#server/db/catalogue/catalogue.ts'
import type { Handle } from '#server/db/handle.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { beginJob } from '#server/use-cases/job-requests.ts'
import { keepUpload } from '#server/use-cases/uploads/kept-packages.ts'
import { auditOf, publishMapp } from '#server/use-cases/uploads/store-mapp.ts'
import { uploadedRows } from '#server/use-cases/uploads/uploads.ts'

/** What the long request knows of who asked. */
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
 * Throws STATE_CONFLICT with `why`: `gone` and the MD5s of which there is no upload (any more), `status` and the files that neither
 * add nor upgrade, `twice` and the codes of which there is more than one version.
 */
export const publish: UseCase<typeof publishApps> = async (context, { body }) => {
  const { db, caller, now, intent, requestId } = context
  const modules = [...new Set(body.modules)]
  const there = await uploads.readUploadsOf(db, caller.userId, modules)
  const records = there.filter(({ until }) => until > now)
  const gone = modules.filter((md5) => records.every((record) => record.md5 !== md5))
  if (gone.length > 0) throw new ProblemError('STATE_CONFLICT', { why: 'gone', md5: gone })
  const { unfit, twice } = choiceFaults(await uploadedRows(db, records))
  if (unfit.length > 0)
    throw new ProblemError('STATE_CONFLICT', {
      why: 'status',
      files: unfit.map(({ name, md5, code, version, status, why }) => ({
        name,
        md5,
        code,
        version,
        status,
        reason: why,
      })),
    })
  if (twice.length > 0) throw new ProblemError('STATE_CONFLICT', { why: 'twice', codes: twice })
  // They must not run out while they wait.
  await uploads.keepUntil(
    db,
    records.map(({ id }) => id),
    now + dayMs,
  )
  const { companyId, userId } = caller
  const input: PublishInput = { modules, companyId, userId, intent, requestId }
  return beginJob(context, { kind: publishJob, input, progressKey: body.progressKey })
}

export interface Published {
  /** What it was; null: it was forgotten in between. */
  name: string | null
  /** Of whose file nothing is needed any more. */
  uploadId: string | null
}

/**
 * Publishes one, in the transaction of `db`: its file is kept, then version, trail, and the mark on its upload. Whoever publishes first wins; what neither
 * adds nor upgrades by then is left as it is, and so is one that was published before a kill. As the system.
 */
export async function publishOne(app: AppContext, db: Handle, input: PublishInput, md5: string): Promise<Published> {
  const now = app.clock()
  await lockCatalogue(db)
  const [record] = await uploads.readUploadsOf(db, input.userId, [md5])
  const [row] = record ? await uploadedRows(db, [record]) : []
  if (!record?.manifest || !row) return publishedBefore(db, input, md5)
  const name = `${row.app_name} ${row.version}`
  if (row.status > 1) return { name, uploadId: null }
  const { manifest } = record
  const { sha256, icon, markdown } = record
  if (sha256 === null) throw new Error('an upload that was read has no SHA-256')
  await keepUpload(app, record.id, sha256)
  await publishMapp(db, { manifest, sha256, icon, markdown }, now)
  await uploads.markPublished(db, record.id, now)
  const { companyId, userId, intent, requestId } = input
  await addToTrail(db, { companyId, userId, now, status: 0, intent, requestId }, [
    auditOf('create', manifest, record.name),
  ])
  return { name, uploadId: record.id }
}

async function publishedBefore(db: Handle, { userId }: PublishInput, md5: string): Promise<Published> {
  const [last] = await uploads.lastUploadsOf(db, userId, [md5])
  return { name: last?.manifest ? `${last.manifest.name} ${last.manifest.version}` : null, uploadId: last?.id ?? null }
}

/** The files with their status now that all is done: 2 for what was published. */
export async function publishedRows(db: Handle, input: PublishInput): Promise<OutputOf<typeof publishApps>> {
  const rows = await uploadedRows(db, await uploads.lastUploadsOf(db, input.userId, input.modules))
  return input.modules.flatMap((md5) => rows.filter((row) => row.md5 === md5))
}
