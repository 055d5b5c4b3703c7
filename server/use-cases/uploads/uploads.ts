/** Manages the uploads of a member of the provider's staff. */
import type { Caller } from '#domain/access.ts'
import { formatMappFault, createMappFault, isMappName, getUploadState } from '#domain/catalogue/mapp.ts'
import { oneLinePattern } from '#domain/text.ts'
import type { listUploads, uploadApp } from '#contract/staff/apps.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import * as uploads from '#server/db/catalogue/app-uploads.ts'
import { listLatestPackages } from '#server/db/catalogue/apps.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runForCompany } from '#server/db/transaction.ts'
import type { AppContext, UseCase } from '#server/context/context.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import { type MappContent, readUploadedMapp } from '#server/use-cases/uploads/read-mapp.ts'
import { buildMappEntry, storeMappReading } from '#server/use-cases/uploads/store-mapp.ts'
import { countReceivedBytes, removeUploadFile } from '#server/use-cases/uploads/upload-files.ts'

export const uploadQuota = { files: 20, bytes: 1024 * 1024 * 1024, refused: 20 }
const lifetimeMs = 86_400_000

type UploadRow = OutputOf<typeof uploadApp>[number]
type UploadListRow = OutputOf<typeof listUploads>[number]

export function requireMappName(name: string): void {
  if (!isMappName(name) || !oneLinePattern.test(name) || !name.isWellFormed())
    throw createPackageError(createMappFault('WRONG_ENDING'))
}

export const createPackageError = (fault: Parameters<typeof formatMappFault>[0]) =>
  createValidationProblem([{ field: 'file', code: 'BAD_PACKAGE', named: formatMappFault(fault) }])

/** Inserts the row of an upload of `size` bytes. Throws UPLOAD_LIMIT. */
async function insertOwnUpload(
  db: DatabaseHandle,
  { userId, companyId }: Caller,
  { id, name, size }: { id: string; name: string; size: number },
  now: number,
): Promise<void> {
  await uploads.lockUploads(db, userId)
  const usage = await uploads.readQuotaUsage(db, userId, now)
  if (usage.files >= uploadQuota.files || Number(usage.bytes) + size > uploadQuota.bytes)
    throw new ProblemError('UPLOAD_LIMIT', {
      files: usage.files,
      megabytes: Math.round(Number(usage.bytes) / 1_048_576),
    })
  await uploads.deleteRefusedUploads(db, userId, uploadQuota.refused - 1)
  const times = { until: now + lifetimeMs, create_time: now }
  await uploads.insertUpload(db, { id, user_id: userId, company_id: companyId, name, size, ...times })
}

export const startUpload = (app: AppContext, caller: Caller, file: { id: string; name: string; size: number }) =>
  runForCompany(app, caller, (db) => insertOwnUpload(db, caller, file, app.clock()))

/** Returns null if the upload is not the caller's or has expired. */
export const findUpload = (app: AppContext, caller: Caller, id: string) =>
  runForCompany(app, caller, (db) => uploads.findUpload(db, caller.userId, id, app.clock()))

export async function forgetUpload(app: AppContext, caller: Caller, id: string): Promise<void> {
  await runForCompany(app, caller, (db) => uploads.removeUpload(db, caller.userId, id))
  await removeUploadFile(app, id)
}

const readingsById = new Map<string, Promise<void>>()

/** Reads a complete upload. Parallel calls share one reading. */
export function readUpload(app: AppContext, caller: Caller, upload: uploads.UploadRecord, requestId: string) {
  const currentReading = readingsById.get(upload.id)
  if (currentReading) return currentReading
  const reading = readAndStore(app, caller, upload, requestId).finally(() => readingsById.delete(upload.id))
  readingsById.set(upload.id, reading)
  return reading
}

async function readAndStore(app: AppContext, caller: Caller, upload: uploads.UploadRecord, requestId: string) {
  const mappReading = await readUploadedMapp(app, upload.id)
  const { unusedIds } = await runForCompany(app, caller, async (db) => {
    const now = app.clock()
    // The user's uploads are locked, so that two uploads with the same bytes are stored one after the other.
    await uploads.lockUploads(db, caller.userId)
    const storedMapp = await storeMappReading(db, upload, mappReading, now)
    const entryHeader = { ...caller, now, status: 0 as const, intent: null, requestId }
    if ('content' in mappReading && storedMapp.isNew)
      await addAuditEntries(db, entryHeader, [buildMappEntry('upload', mappReading.content.manifest, upload.name)])
    return storedMapp
  })
  for (const id of unusedIds) await removeUploadFile(app, id)
}

/** An upload from a form. The route reads the file before the transaction. */
export interface FormUpload {
  id: string
  name: string
  content: MappContent
  /** Keeps the uploaded file. Otherwise it is deleted after the request. */
  keepFile: () => void
}

export const uploadFromForm: UseCase<typeof uploadApp> = async (context, { body }) => {
  const { db, app, caller, now } = context
  const { id, name, content, keepFile } = body.file as unknown as FormUpload
  await insertOwnUpload(db, caller, { id, name, size: content.size }, now)
  const { fault, unusedIds } = await storeMappReading(db, { id, user_id: caller.userId }, { content }, now)
  if (fault) throw createPackageError(fault)
  await context.audit(buildMappEntry('upload', content.manifest, name))
  context.afterCommit(() => {
    keepFile()
    for (const unusedId of unusedIds) void removeUploadFile(app, unusedId).catch(() => undefined)
  })
  const storedUpload = await uploads.findUpload(db, caller.userId, id, now)
  return { body: storedUpload ? await buildUploadRows(db, [storedUpload]) : [] }
}

export async function buildUploadRows(
  db: DatabaseHandle,
  records: readonly uploads.UploadRecord[],
): Promise<UploadRow[]> {
  const currentByCode = new Map(
    (await listLatestPackages(db)).map((currentPackage) => [currentPackage.code, currentPackage]),
  )
  return records.flatMap((record) => {
    const { manifest, md5, sha256 } = record
    if (!manifest || md5 === null || sha256 === null) return []
    const {
      status,
      why: reason,
      current_version,
    } = getUploadState(currentByCode.get(manifest.code) ?? null, { ...manifest, sha256 })
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
        why: reason,
        flag: manifest.flags,
        requires: manifest.requires,
        icon: record.icon,
        markdown: record.markdown,
      },
    ]
  })
}

/** Lists the uploads. It first reads complete uploads that are still unread, for example after a server stopped. */
export async function listOwnUploads(app: AppContext, caller: Caller, requestId: string): Promise<UploadListRow[]> {
  const readAll = () => runForCompany(app, caller, (db) => uploads.listUploads(db, caller.userId, app.clock()))
  const receivedById = new Map<string, number>()
  for (const upload of await readAll()) {
    receivedById.set(upload.id, isUnread(upload) ? await countReceivedBytes(app, upload.id) : upload.size)
    if (!isUnread(upload) || receivedById.get(upload.id) !== upload.size) continue
    // A failed reading does not hide the other uploads, and is repeated with the next listing.
    await readUpload(app, caller, upload, requestId).catch((error: unknown) =>
      app.log.error(
        { event: 'package_read_failed', err: error, upload: upload.id },
        'could not read an uploaded package',
      ),
    )
  }
  return runForCompany(app, caller, async (db) => {
    const records = await uploads.listUploads(db, caller.userId, app.clock())
    const rowsByHash = new Map((await buildUploadRows(db, records)).map((row) => [row.md5, row]))
    return records.map((record) => ({
      id: record.id,
      name: record.name,
      size: record.size,
      received: isUnread(record) ? (receivedById.get(record.id) ?? 0) : record.size,
      state: record.fault ? 'refused' : isUnread(record) ? 'receiving' : 'read',
      fault: record.fault,
      file: rowsByHash.get(record.md5 ?? '') ?? null,
    }))
  })
}

const isUnread = ({ manifest, fault }: uploads.UploadRecord) => manifest === null && fault === null
