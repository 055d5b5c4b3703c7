/** Rows of long requests. The kind of a row decides which code runs it. */
import { type Selectable, sql, type UpdateObject } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'
import type { WriteOwner } from '#server/db/idempotency-store.ts'
import type { DatabaseTables, JobTable } from '#server/db/tables/tables.ts'

export type JobRow = Selectable<JobTable>

export interface NewJobRow extends WriteOwner {
  id: string
  intent: string
  kind: string
  input: unknown
  progressKey: string
  now: number
  deadline: number
}

/** Returns the new row, or the existing one if the intent already started a job of this kind. */
export async function insertOrFindJob(db: DatabaseHandle, job: NewJobRow): Promise<JobRow> {
  const { intent, kind } = job
  const insertedJob = await tryInsertJob(db, job)
  return (
    insertedJob ??
    (await selectOwnerJobs(db, job).where('intent', '=', intent).where('kind', '=', kind).executeTakeFirstOrThrow())
  )
}

/** Resolves to undefined if the intent already started a job of this kind, which may already have ended. */
export const tryInsertJob = (db: DatabaseHandle, job: NewJobRow) =>
  db
    .insertInto('job')
    .values({
      id: job.id,
      company_id: job.companyId,
      user_id: job.userId,
      intent: job.intent,
      kind: job.kind,
      state: 'queued',
      percent: 0,
      progress_key: job.progressKey,
      input: JSON.stringify(job.input),
      tries: 0,
      fence: 0,
      lease_until: 0,
      deadline: job.deadline,
      create_time: job.now,
    })
    .onConflict((conflict) => conflict.constraint('job_intent').doNothing())
    .returningAll()
    .executeTakeFirst()

const selectOwnerJobs = (db: DatabaseHandle, { companyId, userId }: WriteOwner) =>
  db.selectFrom('job').selectAll().where('company_id', '=', companyId).where('user_id', '=', userId)

export const findJob = (db: DatabaseHandle, owner: WriteOwner, id: string) =>
  findRow(selectOwnerJobs(db, owner).where('id', '=', id))

export const listOpenJobs = (db: DatabaseHandle, owner: WriteOwner) =>
  selectOwnerJobs(db, owner).where('state', 'in', ['queued', 'running']).orderBy('create_time').orderBy('id').execute()

export interface ClaimedJob extends JobRow {
  /** Whether an earlier worker stopped without a result, because it was killed or lost the database. */
  orphaned: boolean
}

/** Claims the job that has waited longest, or returns null. Concurrent claims skip locked rows, so they never wait. */
export async function claimJob(
  db: DatabaseHandle,
  { kinds, now, leaseMs }: { kinds: readonly string[]; now: number; leaseMs: number },
): Promise<ClaimedJob | null> {
  const { rows } = await sql<ClaimedJob>`
    with next as (
      select id, state from job
      where state in ('queued', 'running') and lease_until <= ${now} and kind in (${sql.join(kinds)})
      order by lease_until, create_time, id limit 1 for update skip locked)
    update job set state = 'running', tries = job.tries + 1, fence = job.fence + 1, lease_until = ${now + leaseMs}
    from next where job.id = next.id
    returning job.*, next.state = 'running' as orphaned`.execute(db)
  return rows[0] ?? null
}

/** Returns how many jobs of each kind could have been claimed at `before` but were not. */
export async function findWaitingJobs(db: DatabaseHandle, before: number): Promise<{ kind: string; count: number }[]> {
  const rows = await db
    .selectFrom('job')
    .select(['kind', ({ fn }) => fn.countAll<string>().as('count')])
    .where('state', 'in', ['queued', 'running'])
    .where('lease_until', '<=', before)
    .where('create_time', '<=', before)
    .groupBy('kind')
    .orderBy('kind')
    .execute()
  return rows.map(({ kind, count }) => ({ kind, count: Number(count) }))
}

type JobLease = Pick<JobRow, 'id' | 'fence'>

/**
 * Returns false if the job was claimed again or has ended. The caller's work must then be ignored. The functions below that take a lease
 * return the same.
 */
async function updateLeasedJob(
  db: DatabaseHandle,
  { id, fence }: JobLease,
  fields: UpdateObject<DatabaseTables, 'job'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set(fields)
    .where(hasValues({ id, fence, state: 'running' }))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export const keepLease = (db: DatabaseHandle, job: JobLease, leaseUntil: number) =>
  updateLeasedJob(db, job, { lease_until: leaseUntil })

const maxPercent = (percent: number) => sql<number>`greatest(percent, ${percent}::smallint)`

/** Stores a completed step, from which the job continues after a crash. The percentage never decreases. */
export const recordStep = (
  db: DatabaseHandle,
  job: JobLease,
  { point, percent, leaseUntil }: { point: unknown; percent: number; leaseUntil: number },
) =>
  updateLeasedJob(db, job, {
    point: JSON.stringify(point),
    percent: maxPercent(percent),
    tries: 0,
    lease_until: leaseUntil,
  })

export const recordPercent = (db: DatabaseHandle, job: JobLease, percent: number) =>
  updateLeasedJob(db, job, { percent: maxPercent(percent) })

/** Returns the job to the queue. It can be claimed from `availableAt` on. */
export const requeueJob = (db: DatabaseHandle, job: JobLease, availableAt: number) =>
  updateLeasedJob(db, job, { state: 'queued', lease_until: availableAt })

export interface JobOutcome {
  state: 'done' | 'failed'
  status: number
  body: string | null
  now: number
}

export const finishJob = (db: DatabaseHandle, job: JobLease, { now, ...outcome }: JobOutcome) =>
  updateLeasedJob(db, job, { ...outcome, end_time: now, ...(outcome.state === 'done' ? { percent: 100 } : {}) })

/** Deletes a running job at its end, if nobody will request its result. */
export async function deleteJob(db: DatabaseHandle, { id, fence }: JobLease): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('job')
    .where(hasValues({ id, fence, state: 'running' }))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Ends all leases. Called at the start of a database with a single process, where every running job has lost its worker. */
export async function resetLeases(db: DatabaseHandle): Promise<void> {
  await db.updateTable('job').set({ lease_until: 0 }).where('state', '=', 'running').execute()
}

/** Deletes the response bytes and the progress of jobs that ended before this time (one day). The row and its final state stay. */
export async function deleteOldJobBodies(db: DatabaseHandle, endedBefore: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ body: null, point: null })
    .where('end_time', '<', endedBefore)
    .where((where) => where.or([where('body', 'is not', null), where('point', 'is not', null)]))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

export async function deleteOldJobs(db: DatabaseHandle, endedBefore: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('job').where('end_time', '<', endedBefore).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
