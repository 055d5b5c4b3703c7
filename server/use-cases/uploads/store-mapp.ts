/** Stores the content of a package: its icon and change log as web resources, and the rest with its upload. */
import type { AppManifest } from '#domain/checks/manifest-checks.ts'
import { readImageSize } from '#domain/images.ts'
import { createMappFault, type MappFault } from '#domain/catalogue/mapp.ts'
import {
  lockReadUploads,
  recordContent,
  hasContent,
  recordFault,
  removeUpload,
  type UploadRecord,
} from '#server/db/catalogue/app-uploads.ts'
import { insertAppVersion } from '#server/db/catalogue/apps.ts'
import { insertResource } from '#server/db/catalogue/web-resources.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import type { MappContent, MappReading } from '#server/use-cases/uploads/read-mapp.ts'

export interface StoredMapp {
  fault: MappFault | null
  /** False if the package was refused, or was read before. */
  isNew: boolean
  unusedIds: string[]
}

/**
 * Stores the result of reading an upload. Removes an earlier upload with the same bytes. Refuses other bytes with the same MD5, because
 * publishing names a file by its MD5 (U-09). `unusedIds` are the uploads whose files are no longer needed. Another node may have read the
 * same upload meanwhile: then nothing changes. The caller has locked the user's uploads.
 */
export async function storeMappReading(
  db: DatabaseHandle,
  upload: Pick<UploadRecord, 'id' | 'user_id'>,
  reading: MappReading,
  now: number,
): Promise<StoredMapp> {
  if (await hasContent(db, upload.id)) return { fault: null, isNew: false, unusedIds: [] }
  if ('fault' in reading) return recordRefusal(db, upload.id, reading.fault)
  const { content } = reading
  const sameUpload = (await lockReadUploads(db, upload.user_id, [content.md5])).find(({ id }) => id !== upload.id)
  if (sameUpload && sameUpload.sha256 !== content.sha256)
    return recordRefusal(db, upload.id, createMappFault('MD5_TAKEN'))
  if (sameUpload) await removeUpload(db, upload.user_id, sameUpload.id)
  const isStored = await recordContent(db, upload.id, {
    md5: content.md5,
    sha256: content.sha256,
    manifest: JSON.stringify(content.manifest),
    ...(await storeResources(db, content, now)),
  })
  return {
    fault: null,
    isNew: isStored,
    unusedIds: [...(sameUpload ? [sameUpload.id] : []), ...(isStored ? [] : [upload.id])],
  }
}

async function recordRefusal(db: DatabaseHandle, id: string, fault: MappFault): Promise<StoredMapp> {
  await recordFault(db, id, fault)
  return { fault, isNew: false, unusedIds: [id] }
}

export async function storeResources(
  db: DatabaseHandle,
  { icon, changeLog }: Pick<MappContent, 'icon' | 'changeLog'>,
  now: number,
): Promise<{ icon: string | null; markdown: string | null }> {
  const storeResource = (kind: 'icon' | 'changelog', type: string, bytes: Uint8Array | null) =>
    bytes === null ? null : insertResource(db, { kind, type, bytes, create_time: now })
  return {
    // A PNG comes from a trusted package, whose icon needs no decoding.
    icon: await storeResource('icon', icon && readImageSize(icon)?.format === 'png' ? 'image/png' : 'image/webp', icon),
    markdown: await storeResource(
      'changelog',
      'text/html; charset=utf-8',
      changeLog === null ? null : Buffer.from(changeLog),
    ),
  }
}

/** Adds a new version of an app. The caller has checked that the version is new (D79). */
export const publishMapp = (
  db: DatabaseHandle,
  {
    manifest,
    ...facts
  }: { manifest: AppManifest; sha256: string | null; icon: string | null; markdown: string | null },
  now: number,
): Promise<void> =>
  insertAppVersion(db, {
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

export const buildMappEntry = (
  operation: 'upload' | 'create',
  { code, module }: MappContent['manifest'],
  file: string,
): AuditEntry => ({ code: 'app', operation, info: { AppCode: code, ModuleCode: module, File: file } })
