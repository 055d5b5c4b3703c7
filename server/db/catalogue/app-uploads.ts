import { type Selectable, sql } from 'kysely'
import type { MappFault } from '#domain/catalogue/mapp.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { AppUploadTable } from '#server/db/tables/upload-tables.ts'

export type UploadRecord = Selectable<AppUploadTable>
export type NewUpload = Pick<UploadRecord, 'id' | 'user_id' | 'company_id' | 'name' | 'size' | 'until' | 'create_time'>

export async function insertUpload(db: DatabaseHandle, upload: NewUpload): Promise<void> {
  await db.insertInto('app_upload').values(upload).execute()
}

const selectUnpublished = (db: DatabaseHandle, userId: number) =>
  db.selectFrom('app_upload').selectAll().where('user_id', '=', userId).where('published', 'is', null)

/** Finds an upload that is not published. Returns null if it belongs to another user or has expired. */
export const findUpload = (db: DatabaseHandle, userId: number, id: string, now: number) =>
  findRow(selectUnpublished(db, userId).where('id', '=', id).where('until', '>', now))

/** Returns uploads that are neither published nor expired, oldest first. */
export const listUploads = (db: DatabaseHandle, userId: number, now: number) =>
  selectUnpublished(db, userId).where('until', '>', now).orderBy('create_time').orderBy('id').execute()

/** Returns the unpublished uploads with these MD5 hashes whose content was read. Locks them until the commit. */
export const lockReadUploads = (db: DatabaseHandle, userId: number, md5: readonly string[]) =>
  selectUnpublished(db, userId).where('md5', 'in', md5).where('manifest', 'is not', null).forUpdate().execute()

/** Like `lockReadUploads`, but includes published uploads and takes no lock. Returns the latest upload for each MD5 hash. */
export const findLatestUploads = (db: DatabaseHandle, userId: number, md5: readonly string[]) =>
  db
    .selectFrom('app_upload')
    .distinctOn('md5')
    .selectAll()
    .where('user_id', '=', userId)
    .where('md5', 'in', md5)
    .where('manifest', 'is not', null)
    .orderBy('md5')
    .orderBy('create_time', 'desc')
    .execute()

/** Locks the list of this user's uploads for other transactions that call this, until the commit. */
export async function lockUploads(db: DatabaseHandle, userId: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('app_upload'), ${userId}::integer)`.execute(db)
}

export const readQuotaUsage = (db: DatabaseHandle, userId: number, now: number) =>
  db
    .selectFrom('app_upload')
    .select(sql<number>`count(*)::integer`.as('files'))
    .select(sql<number>`coalesce(sum(size), 0)::bigint`.as('bytes'))
    .where(hasValues({ user_id: userId, published: null, fault: null }))
    .where('until', '>', now)
    .executeTakeFirstOrThrow()

export type UploadContent = Pick<UploadRecord, 'md5' | 'sha256' | 'icon' | 'markdown'> & { manifest: string }

/** Returns false if the upload was deleted or already read. */
export const recordContent = async (db: DatabaseHandle, id: string, content: UploadContent): Promise<boolean> =>
  wasUpdated(await updateUnread(db, id).set(content).executeTakeFirstOrThrow())

/** Returns whether the content of the upload was stored. False if it was refused or deleted. */
export async function hasContent(db: DatabaseHandle, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('app_upload')
    .select('id')
    .where(hasValues({ id, fault: null }))
    .where('manifest', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

export const recordFault = async (db: DatabaseHandle, id: string, fault: MappFault): Promise<boolean> =>
  wasUpdated(
    await updateUnread(db, id)
      .set({ fault: JSON.stringify(fault) })
      .executeTakeFirstOrThrow(),
  )

const updateUnread = (db: DatabaseHandle, id: string) =>
  db.updateTable('app_upload').where('id', '=', id).where('manifest', 'is', null).where('fault', 'is', null)

const wasUpdated = ({ numUpdatedRows }: { numUpdatedRows: bigint }) => numUpdatedRows > 0n

export async function removeUpload(db: DatabaseHandle, userId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('app_upload')
    .where(hasValues({ user_id: userId, id }))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes refused uploads except the latest `maxRefused`, so that they do not pile up. */
export async function deleteRefusedUploads(db: DatabaseHandle, userId: number, maxRefused: number): Promise<void> {
  await sql`delete from app_upload where id in (
    select id from app_upload where user_id = ${userId} and fault is not null order by create_time desc offset ${maxRefused})`.execute(
    db,
  )
}

export async function markPublished(db: DatabaseHandle, id: string, now: number): Promise<void> {
  await db.updateTable('app_upload').set({ published: now }).where('id', '=', id).execute()
}

export async function extendUploads(db: DatabaseHandle, ids: readonly string[], until: number): Promise<void> {
  if (ids.length > 0) await db.updateTable('app_upload').set({ until }).where('id', 'in', ids).execute()
}

interface UploadLease {
  id: string
  lease: string
  now: number
  until: number
}

/**
 * Acquires or renews a lease: only one process over all nodes writes the bytes of an upload. Returns false if another process holds the
 * lease.
 */
export const acquireLease = async (db: DatabaseHandle, { id, lease, now, until }: UploadLease): Promise<boolean> =>
  wasUpdated(
    await db
      .updateTable('app_upload')
      .set({ lease, lease_until: until })
      .where('id', '=', id)
      .where((where) => where.or([where('lease_until', '<=', now), where('lease', '=', lease)]))
      .executeTakeFirstOrThrow(),
  )

export async function releaseLease(db: DatabaseHandle, id: string, lease: string): Promise<void> {
  await db.updateTable('app_upload').set({ lease_until: 0 }).where('id', '=', id).where('lease', '=', lease).execute()
}

/** Deletes the rows of expired uploads. The next cleanup of the folder deletes their files. */
export async function deleteExpiredUploads(db: DatabaseHandle, now: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('app_upload').where('until', '<=', now).executeTakeFirst()
  return Number(numDeletedRows)
}

/** Returns the ids of uploads that are still needed: neither refused nor published. */
export async function findUploadIdsInUse(db: DatabaseHandle, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('app_upload')
    .select('id')
    .where('id', 'in', ids)
    .where(hasValues({ published: null, fault: null }))
    .execute()
  return new Set(rows.map(({ id }) => id))
}
