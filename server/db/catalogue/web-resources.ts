/** Rows of icons and change logs. They are inserted once, never changed, and deleted when no row refers to them. */
import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import type { WebResourceTable } from '#server/db/tables/upload-tables.ts'

export type NewResource = Omit<Selectable<WebResourceTable>, 'id'>

/** Returns the resource's name, which cannot be guessed. */
export async function insertResource(db: DatabaseHandle, resource: NewResource): Promise<string> {
  const id = randomBytes(24).toString('base64url')
  const bytes = Buffer.from(resource.bytes)
  await db
    .insertInto('web_resource')
    .values({ ...resource, id, bytes })
    .execute()
  return id
}

export const findResource = (db: DatabaseHandle, id: string) =>
  findRow(db.selectFrom('web_resource').selectAll().where('id', '=', id))

export async function deleteUnusedResources(db: DatabaseHandle, createdBefore: number): Promise<number> {
  const isReferencedBy = (table: 'app_version' | 'app_upload') =>
    sql<boolean>`exists (select from ${sql.table(table)} named where web_resource.id in (named.icon, named.markdown))`
  const { numDeletedRows } = await db
    .deleteFrom('web_resource')
    .where('create_time', '<', createdBefore)
    .where((where) => where.not(where.or([isReferencedBy('app_version'), isReferencedBy('app_upload')])))
    .executeTakeFirst()
  return Number(numDeletedRows)
}
