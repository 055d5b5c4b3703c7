/** Records when each scheduled job of the cluster ran, so that it runs once per interval on all nodes together. */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'

export interface ScheduledRunRequest {
  name: string
  /** Name and holder of the lease that a run needs. */
  lease: string
  holder: string
  now: number
  /** Time in ms that must have passed since the start of the previous run, unless that run was interrupted. */
  intervalMs: number
}

/**
 * Records the start of a run. Returns 0, or the time in ms until the next run is due. A run without an end was interrupted, because only
 * the holder of the lease runs the job; it is repeated at once.
 */
export async function claimScheduledRun(
  db: DatabaseHandle,
  { name, lease, holder, now, intervalMs }: ScheduledRunRequest,
): Promise<number> {
  const { rows } = await sql`
    insert into scheduled_run as run (name, started_at, ended_at)
    select ${name}, ${now}::bigint, null
      where exists (select from lease where name = ${lease} and holder = ${holder} and until > ${now})
    on conflict (name) do update set started_at = excluded.started_at, ended_at = null
      where run.ended_at is null or run.started_at <= ${now - intervalMs} or run.started_at > ${now}
    returning 1`.execute(db)
  if (rows.length > 0) return 0
  const row = await db.selectFrom('scheduled_run').select('started_at').where('name', '=', name).executeTakeFirst()
  return Math.max(1, Math.min(intervalMs, (row?.started_at ?? now) + intervalMs - now))
}

export async function endScheduledRun(db: DatabaseHandle, name: string, startedAt: number, now: number): Promise<void> {
  await db
    .updateTable('scheduled_run')
    .set({ ended_at: now })
    .where('name', '=', name)
    .where('started_at', '=', startedAt)
    .execute()
}
