/** What was read of a package, as rows: its icon and change log as web resources, the rest beside its upload. */
import type { Manifest } from '#domain/checks/manifest-checks.ts'
import { readImageSize } from '#domain/images.ts'
import { faultOf, type MappFault } from '#domain/catalogue/mapp.ts'
import {
  readUploadsOf,
  recordContent,
  recordFault,
  removeUpload,
  type UploadRecord,
} from '#server/db/catalogue/app-uploads.ts'
import { insertVersion } from '#server/db/catalogue/apps.ts'
import { insertResource } from '#server/db/catalogue/web-resources.ts'
import type { Handle } from '#server/db/handle.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { Mapp, ReadMapp } from '#server/use-cases/uploads/read-mapp.ts'

export interface Stored {
  fault: MappFault | null
  /** Uploads whose files are of no use any more. */
  unused: string[]
}

/**
 * An upload with the same bytes is replaced. Other bytes with the same MD5 are refused, because the MD5 is what a publishing names
 * (U-09). Does nothing where somebody else has recorded it by now.
 */
export async function storeReading(
  db: Handle,
  upload: Pick<UploadRecord, 'id' | 'user_id'>,
  read: ReadMapp,
  now: number,
): Promise<Stored> {
  if ('fault' in read) return refuse(db, upload.id, read.fault)
  const { content } = read
  const same = (await readUploadsOf(db, upload.user_id, [content.md5])).find(({ id }) => id !== upload.id)
  if (same && same.sha256 !== content.sha256) return refuse(db, upload.id, faultOf('MD5_TAKEN'))
  if (same) await removeUpload(db, upload.user_id, same.id)
  const isStored = await recordContent(db, upload.id, {
    md5: content.md5,
    sha256: content.sha256,
    manifest: JSON.stringify(content.manifest),
    ...(await storeResources(db, content, now)),
  })
  return { fault: null, unused: [...(same ? [same.id] : []), ...(isStored ? [] : [upload.id])] }
}

async function refuse(db: Handle, id: string, fault: MappFault): Promise<Stored> {
  await recordFault(db, id, fault)
  return { fault, unused: [id] }
}

/** Their names. */
export async function storeResources(
  db: Handle,
  { icon, changeLog }: Pick<Mapp, 'icon' | 'changeLog'>,
  now: number,
): Promise<{ icon: string | null; markdown: string | null }> {
  const put = (kind: 'icon' | 'changelog', type: string, bytes: Uint8Array | null) =>
    bytes === null ? null : insertResource(db, { kind, type, bytes, create_time: now })
  return {
    // A PNG is one of ours that needed no decoding.
    icon: await put('icon', icon && readImageSize(icon)?.format === 'png' ? 'image/png' : 'image/webp', icon),
    markdown: await put('changelog', 'text/html; charset=utf-8', changeLog === null ? null : Buffer.from(changeLog)),
  }
}

/** A new version of its app, which the caller has found to be one (D79). */
export const publishMapp = (
  db: Handle,
  { manifest, ...facts }: { manifest: Manifest; sha256: string | null; icon: string | null; markdown: string | null },
  now: number,
): Promise<void> =>
  insertVersion(db, {
    ...facts,
    provider: manifest.provider,
    code: manifest.code,
    name: manifest.name,
    module: manifest.module,
    version: manifest.version,
    min_version_required: manifest.min_version_required,
    release_date: manifest.release_date,
    flags: JSON.stringify(manifest.flags),
    requires: JSON.stringify(manifest.requires),
    create_time: now,
  })

export const auditOf = (
  operation: 'upload' | 'create',
  { code, module }: Mapp['manifest'],
  file: string,
): AuditEntry => ({ code: 'app', operation, info: { AppCode: code, ModuleCode: module, File: file } })
