/** Adds refunds that came back to the index of those that the staff have not settled (decision 123). */
import { type Kysely, sql } from 'kysely'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index refund_unseen`.execute(db)
  await sql`
    create index refund_unseen on refund (id)
    where end_time is null or seen_time is null and (cause <> 'staff' or state = 'failed' or problem is not null)`.execute(
    db,
  )
}
