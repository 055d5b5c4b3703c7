/** Counts failed sign-ins by account and network until they become entries of the audit trail. */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'

/**
 * Counts a failed sign-in. For an unknown account the same statement runs but stores nothing, so that both cases take equally long (S-32).
 */
export async function countFailedSignIn(
  db: DatabaseHandle,
  { userId, network, now }: { userId: number | null; network: string; now: number },
): Promise<void> {
  await sql`
    insert into failed_sign_in as known (user_id, company_id, network, since, until, count)
    select id, company_id, ${network}, ${now}::bigint, ${now}::bigint, 1 from portal_user where id = ${userId}::integer
    on conflict (user_id, network) do update set count = known.count + 1, until = excluded.until`.execute(db)
}

export interface FailedSignIns {
  userId: number
  companyId: number
  userName: string
  network: string
  /** Time of the first failure, epoch ms. `until` is the time of the last one. */
  since: number
  until: number
  count: number
}

export async function removeFailedSignIns(db: DatabaseHandle, startedBefore: number): Promise<FailedSignIns[]> {
  const { rows } = await sql<FailedSignIns>`
    with taken as (delete from failed_sign_in where since <= ${startedBefore}::bigint returning *)
    select user_id as "userId", taken.company_id as "companyId", name as "userName", network, since, until, count
    from taken join portal_user on portal_user.id = user_id order by since, user_id`.execute(db)
  return rows
}
