/** The uploads of one of the provider's staff: taken in, read once, listed with what they would do, and forgotten. */
import type { Caller } from '#domain/access.ts'
import { faultAsWord, faultOf, isMappName, uploadStatus } from '#domain/catalogue/mapp.ts'
import { oneLine } from '#domain/text.ts'
import type { listUploads, uploadApp } from '#contract/apps.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import * as uploads from '#server/db/catalogue/app-uploads.ts'
import { newestPackages } from '#server/db/catalogue/apps.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'
import { type Mapp, readMapp } from '#server/use-cases/uploads/read-mapp.ts'
import { auditOf, storeReading } from '#server/use-cases/uploads/store-mapp.ts'
import { receivedBytes, removeUploadFile, uploadPath } from '#server/use-cases/uploads/upload-files.ts'

/** Of one user, not published yet. */
export const uploadQuota = { files: 20, bytes: 1024 * 1024 * 1024, refused: 20 }
const keptMs = 86_400_000

type Row = OutputOf<typeof uploadApp>[number]
type Listed = OutputOf<typeof listUploads>[number]

const asOwner = <T>(app: AppContext, { companyId }: Caller, work: (db: Handle) => Promise<T>) =>
  inTransaction(app, { role: 'portal_app', companyId }, work)

/** Throws VALIDATION_ERROR where that cannot be a package's name. */
export function requireMappName(name: string): void {
  if (!isMappName(name) || !oneLine.test(name) || !name.isWellFormed()) throw badPackage(faultOf('WRONG_ENDING'))
}

export const badPackage = (fault: Parameters<typeof faultAsWord>[0]) =>
  invalid([{ field: 'file', code: 'BAD_PACKAGE', named: faultAsWord(fault) }])

/** Begins an upload of so many bytes. Throws UPLOAD_LIMIT. */
async function takeIn(
  db: Handle,
  { userId, companyId }: Caller,
  { id, name, size }: { id: string; name: string; size: number },
  now: number,
): Promise<void> {
  await uploads.lockUploads(db, userId)
  const taken = await uploads.quotaOf(db, userId, now)
  if (taken.files >= uploadQuota.files || Number(taken.bytes) + size > uploadQuota.bytes)
    throw new ProblemError('UPLOAD_LIMIT', {
      files: taken.files,
      megabytes: Math.round(Number(taken.bytes) / 1_048_576),
    })
  await uploads.forgetRefused(db, userId, uploadQuota.refused - 1)
  const times = { until: now + keptMs, create_time: now }
  await uploads.insertUpload(db, { id, user_id: userId, company_id: companyId, name, size, ...times })
}

export const beginUpload = (app: AppContext, caller: Caller, file: { id: string; name: string; size: number }) =>
  asOwner(app, caller, (db) => takeIn(db, caller, file, app.clock()))

/** Null where it is not theirs, or its day is over. */
export const findUpload = (app: AppContext, caller: Caller, id: string) =>
  asOwner(app, caller, (db) => uploads.uploadOf(db, caller.userId, id, app.clock()))

export async function forgetUpload(app: AppContext, caller: Caller, id: string): Promise<void> {
  await asOwner(app, caller, (db) => uploads.removeUpload(db, caller.userId, id))
  await removeUploadFile(app, id)
}

const reading = new Map<string, Promise<void>>()

/** Reads what has come whole: once, however many ask. */
export function readUpload(app: AppContext, caller: Caller, upload: uploads.UploadRecord, requestId: string) {
  const running = reading.get(upload.id)
  if (running) return running
  const work = readNow(app, caller, upload, requestId).finally(() => reading.delete(upload.id))
  reading.set(upload.id, work)
  return work
}

async function readNow(app: AppContext, caller: Caller, upload: uploads.UploadRecord, requestId: string) {
  const read = await readMapp(uploadPath(app, upload.id))
  const { unused } = await asOwner(app, caller, async (db) => {
    const now = app.clock()
    // Two with the same bytes are put down one after the other.
    await uploads.lockUploads(db, caller.userId)
    const stored = await storeReading(db, upload, read, now)
    const entry = { ...caller, now, status: 0 as const, intent: null, requestId }
    if ('content' in read && stored.fault === null)
      await addToTrail(db, entry, [auditOf('upload', read.content.manifest, upload.name)])
    return stored
  })
  for (const id of unused) await removeUploadFile(app, id)
}

/** What came in a form: read by the route, before the transaction. */
export interface FormUpload {
  id: string
  name: string
  content: Mapp
  /** Its file stays. */
  keep: () => void
}

export const upload: UseCase<typeof uploadApp> = async (context, { body }) => {
  const { db, app, caller, now } = context
  const { id, name, content, keep } = body.file as unknown as FormUpload
  await takeIn(db, caller, { id, name, size: content.size }, now)
  const { fault, unused } = await storeReading(db, { id, user_id: caller.userId }, { content }, now)
  if (fault) throw badPackage(fault)
  await context.audit(auditOf('upload', content.manifest, name))
  context.afterCommit(() => {
    keep()
    for (const other of unused) void removeUploadFile(app, other).catch(() => undefined)
  })
  const stored = await uploads.uploadOf(db, caller.userId, id, now)
  return { body: stored ? await uploadedRows(db, [stored]) : [] }
}

/** With what each would do to the catalogue as it is now. */
export async function uploadedRows(db: Handle, records: readonly uploads.UploadRecord[]): Promise<Row[]> {
  const current = new Map((await newestPackages(db)).map((one) => [one.code, one]))
  return records.flatMap((record) => {
    const { manifest, md5, sha256 } = record
    if (!manifest || md5 === null || sha256 === null) return []
    const { status, why, current_version } = uploadStatus(current.get(manifest.code) ?? null, { ...manifest, sha256 })
    return [
      {
        name: record.name,
        md5,
        sha256,
        size: record.size,
        code: manifest.code,
        app_name: manifest.name,
        provider: manifest.provider,
        module: manifest.module,
        module_name: manifest.module_name,
        release_date: manifest.release_date,
        version: manifest.version,
        min_version_required: manifest.min_version_required,
        current_version,
        status,
        why,
        flag: manifest.flags,
        requires: manifest.requires,
        icon: record.icon,
        markdown: record.markdown,
      },
    ]
  })
}

/** What a server that ended in between left unread is read first. */
export async function listOf(app: AppContext, caller: Caller, requestId: string): Promise<Listed[]> {
  const all = () => asOwner(app, caller, (db) => uploads.uploadsOf(db, caller.userId, app.clock()))
  const received = new Map<string, number>()
  for (const one of await all()) {
    received.set(one.id, isUnread(one) ? await receivedBytes(app, one.id) : one.size)
    if (!isUnread(one) || received.get(one.id) !== one.size) continue
    // One that cannot be read now hides none of the others, and is tried again with the next look.
    await readUpload(app, caller, one, requestId).catch((error: unknown) =>
      app.log.error({ err: error, upload: one.id }, 'a package could not be read'),
    )
  }
  return asOwner(app, caller, async (db) => {
    const records = await uploads.uploadsOf(db, caller.userId, app.clock())
    const rows = new Map((await uploadedRows(db, records)).map((row) => [row.md5, row]))
    return records.map((record) => ({
      id: record.id,
      name: record.name,
      size: record.size,
      received: isUnread(record) ? (received.get(record.id) ?? 0) : record.size,
      state: record.fault ? 'refused' : isUnread(record) ? 'receiving' : 'read',
      fault: record.fault,
      file: rows.get(record.md5 ?? '') ?? null,
    }))
  })
}

const isUnread = ({ manifest, fault }: uploads.UploadRecord) => manifest === null && fault === null
