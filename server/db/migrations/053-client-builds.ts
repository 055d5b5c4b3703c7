/** Adds the client builds whose files are in the file store, so that every node serves the files of every recent build. */
import type { Kysely } from 'kysely'
import { allow } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('client_build')
    .addColumn('digest', 'text', (column) => column.primaryKey())
    .addColumn('build', 'text', (column) => column.notNull())
    // Null until the files are in the store.
    .addColumn('files', 'jsonb')
    // Epoch ms, by the clock of the database.
    .addColumn('seen_time', 'bigint', (column) => column.notNull())
    .execute()
  await allow(db, 'client_build', [], ['select', 'insert', 'update', 'delete'])
}
