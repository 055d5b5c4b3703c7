/** Long requests as rows: begun, claimed, come further, ended. What a row is for is said by its kind alone. */
import { type Selectable, sql } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import type { Owner } from '#server/db/idempotency.ts'
import type { JobTable } from '#server/db/tables/tables.ts'

export type JobRow = Selectable<JobTable>

export interface NewJob extends Owner {
  id: string
  intent: string
  kind: string
  input: unknown
  progressKey: string
  now: number
  deadline: number
}

/** The row as it stands: of an intent that began one of this kind already, the one that is there. */
export async function insertJob(db: Handle, job: NewJob): Promise<JobRow> {
  const { intent, kind } = job
  const made = await putJob(db, job)
  return (
    made ?? (await ofOwner(db, job).where('intent', '=', intent).where('kind', '=', kind).executeTakeFirstOrThrow())
  )
}

/** Undefined: that intent has begun one of this kind already, which may be at its end by now. */
export const putJob = (db: Handle, job: NewJob): Promise<JobRow | undefined> =>
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

const ofOwner = (db: Handle, { companyId, userId }: Owner) =>
  db.selectFrom('job').selectAll().where('company_id', '=', companyId).where('user_id', '=', userId)

export const jobOf = async (db: Handle, owner: Owner, id: string): Promise<JobRow | null> =>
  (await ofOwner(db, owner).where('id', '=', id).executeTakeFirst()) ?? null

/** What of theirs is not at its end yet, oldest first. */
export const openJobsOf = (db: Handle, owner: Owner): Promise<JobRow[]> =>
  ofOwner(db, owner).where('state', 'in', ['queued', 'running']).orderBy('create_time').orderBy('id').execute()

export interface ClaimedJob extends JobRow {
  /** Somebody was at work on it and left no word: killed, or cut off from the database. */
  orphaned: boolean
}

/** Takes the one that has waited longest. Several claimants step over each other's rows and never wait. */
export async function claimJob(
  db: Handle,
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

type Held = Pick<JobRow, 'id' | 'fence'>

const held = (db: Handle, { id, fence }: Held) =>
  db.updateTable('job').where('id', '=', id).where('fence', '=', fence).where('state', '=', 'running')

type Changed = { numUpdatedRows: bigint }
const isOurs = ({ numUpdatedRows }: Changed) => numUpdatedRows > 0n

/** False here and below: somebody else holds it by now, and what was done under the old claim counts for nothing. */
export const keepLease = async (db: Handle, job: Held, leaseUntil: number): Promise<boolean> =>
  isOurs(await held(db, job).set({ lease_until: leaseUntil }).executeTakeFirstOrThrow())

/** A step is done: from here it would go on. Percents never fall. */
export const recordStep = async (
  db: Handle,
  job: Held,
  { point, percent, leaseUntil }: { point: unknown; percent: number; leaseUntil: number },
): Promise<boolean> =>
  isOurs(
    await held(db, job)
      .set({
        point: JSON.stringify(point),
        percent: sql`greatest(percent, ${percent}::smallint)`,
        tries: 0,
        lease_until: leaseUntil,
      })
      .executeTakeFirstOrThrow(),
  )

/** In the middle of a step. */
export const recordPercent = async (db: Handle, job: Held, percent: number): Promise<boolean> =>
  isOurs(
    await held(db, job)
      .set({ percent: sql`greatest(percent, ${percent}::smallint)` })
      .executeTakeFirstOrThrow(),
  )

/** Nobody works on it; it may be taken from `from` on. */
export const putBackJob = async (db: Handle, job: Held, from: number): Promise<boolean> =>
  isOurs(await held(db, job).set({ state: 'queued', lease_until: from }).executeTakeFirstOrThrow())

export interface Ending {
  state: 'done' | 'failed'
  status: number
  body: string | null
  now: number
}

export const endJob = async (db: Handle, job: Held, { now, ...ending }: Ending): Promise<boolean> =>
  isOurs(
    await held(db, job)
      .set({ ...ending, end_time: now, ...(ending.state === 'done' ? { percent: 100 } : {}) })
      .executeTakeFirstOrThrow(),
  )

/** At its end, where nobody will ask what came of it. */
export async function dropJob(db: Handle, { id, fence }: Held): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('job')
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Where one process at a time has the database, whoever held a job before its start is gone. */
export async function freeLeases(db: Handle): Promise<void> {
  await db.updateTable('job').set({ lease_until: 0 }).where('state', '=', 'running').execute()
}

/** After a day an answer's bytes go; that the job is known, and how it ended, stays. */
export async function sweepJobBodies(db: Handle, before: number): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ body: null, point: null })
    .where('end_time', '<', before)
    .where((where) => where.or([where('body', 'is not', null), where('point', 'is not', null)]))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

export async function sweepJobs(db: Handle, before: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('job').where('end_time', '<', before).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
