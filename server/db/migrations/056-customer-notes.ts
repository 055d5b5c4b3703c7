/**
 * Adds the notes of the provider's staff about customers. They belong to the provider's company, so that no customer can read them. The index
 * finds the last activity of a customer's own users.
 */
import { type Kysely, sql } from 'kysely'
import { fence } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table customer_note (
      id integer generated always as identity primary key,
      company_id integer not null references company (id),
      customer_id integer not null references company (id),
      author_id integer not null references portal_user (id),
      author_name text not null,
      note text not null check (length(note) between 1 and 4000),
      row_version integer not null default 1,
      create_time bigint not null,
      update_time bigint not null
    )`.execute(db)
  await sql`create index customer_note_of_customer on customer_note (customer_id, id desc)`.execute(db)
  // As for other numbered tables: a restored database raises the numbers.
  await sql`grant usage, update on sequence customer_note_id_seq to portal_system`.execute(db)
  await sql`create index audit_entry_own_user on audit_entry (company_id, end_time desc, id desc)
    where exec_user_id is not null and actor is null`.execute(db)
  await fence(db, 'customer_note', {
    app: ['select', 'insert', 'update', 'delete'],
    system: ['select', 'insert', 'update', 'delete'],
  })
}
