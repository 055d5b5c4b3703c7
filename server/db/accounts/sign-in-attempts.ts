/**
 * Counts password attempts. An attempt is counted before the password is verified, so that concurrent guesses cannot all pass the limit
 * (S-31). The first failures within the window cause no wait. After them, each further failure causes a longer wait, up to a maximum
 * (S-30). A refused attempt does not extend the wait, so a stranger cannot lock out a user.
 */
import { sql } from 'kysely'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'
import { hasValues } from '#server/db/has-values.ts'

export interface AttemptLimit {
  subject: string
  freeAttempts: number
}

export const attemptWindowMs = 10 * 60_000
const firstDelayMs = 30_000
const maxDelayMs = 15 * 60_000

/**
 * Counts an attempt for each limit. Returns null, or the wait in ms if a limit is reached. The caller must then roll back, because the
 * attempt may already be counted for other limits.
 */
export async function reserveAttempt(
  db: DatabaseHandle,
  limits: readonly AttemptLimit[],
  now: number,
): Promise<number | null> {
  for (const limit of limits) {
    const waitMs = await reserveOne(db, limit, now)
    if (waitMs !== null) return waitMs
  }
  return null
}

async function reserveOne(
  db: DatabaseHandle,
  { subject, freeAttempts }: AttemptLimit,
  now: number,
): Promise<number | null> {
  const delay = sql<number>`least(${maxDelayMs}::bigint, ${firstDelayMs}::bigint * power(2, least(attempt.failures + 1 - ${freeAttempts}, 20))::bigint)`
  const isStale = sql<boolean>`attempt.since <= ${now - attemptWindowMs}::bigint and attempt.not_before <= ${now - attemptWindowMs}::bigint`
  const reservedRow = await db
    .insertInto('attempt')
    .values({ subject, failures: 1, since: now, not_before: 0 })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet({
          failures: sql`case when ${isStale} then 1 else attempt.failures + 1 end`,
          since: sql`case when ${isStale} then ${now}::bigint else attempt.since end`,
          not_before: sql`case when ${isStale} or attempt.failures + 1 < ${freeAttempts} then 0 else ${now}::bigint + ${delay} end`,
        })
        .where('attempt.not_before', '<=', now),
    )
    .returning('failures')
    .executeTakeFirst()
  if (reservedRow) return null
  const { not_before } = await db
    .selectFrom('attempt')
    .select('not_before')
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow()
  return Math.max(1000, not_before - now)
}

export async function countFailures(db: DatabaseHandle, subject: string): Promise<number> {
  const row = await db.selectFrom('attempt').select('failures').where('subject', '=', subject).executeTakeFirst()
  return row?.failures ?? 0
}

/** Counts an attempt without refusing it. Returns the number of attempts in this window. */
export async function countAttempt(db: DatabaseHandle, subject: string, now: number): Promise<number> {
  const isWindowOver = sql<boolean>`attempt.since <= ${now - attemptWindowMs}::bigint`
  const { failures } = await db
    .insertInto('attempt')
    .values({ subject, failures: 1, since: now, not_before: 0 })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({
        failures: sql`case when ${isWindowOver} then 1 else attempt.failures + 1 end`,
        since: sql`case when ${isWindowOver} then ${now}::bigint else attempt.since end`,
        not_before: sql`case when ${isWindowOver} then 0 else attempt.not_before end`,
      }),
    )
    .returning('failures')
    .executeTakeFirstOrThrow()
  return failures
}

/** Marks that the subject was reported in this window. Returns true for only one caller, over all nodes. */
export const markReported = (db: DatabaseHandle, subject: string, now: number) =>
  hasRow(
    db
      .updateTable('attempt')
      .set({ not_before: now })
      .where(hasValues({ subject, not_before: 0 }))
      .returning('subject'),
  )

interface ForgivenAttempts {
  /** Subjects whose counts are deleted. */
  accounts: readonly string[]
  /** Subjects whose counts are only reduced by the reserved attempt. `freeAttempts` is null for a subject without a limit. */
  otherSubjects: readonly { subject: string; freeAttempts: number | null }[]
}

export async function forgiveAttempts(db: DatabaseHandle, { accounts, otherSubjects }: ForgivenAttempts, now: number) {
  await db.deleteFrom('attempt').where('subject', 'in', accounts).execute()
  for (const { subject, freeAttempts } of otherSubjects)
    await db
      .updateTable('attempt')
      .set({
        failures: sql`greatest(failures - 1, 0)`,
        ...(freeAttempts === null
          ? {}
          : { not_before: sql`case when failures - 1 < ${freeAttempts} then 0 else not_before end` }),
      })
      .where('subject', '=', subject)
      .where('since', '<=', now)
      .execute()
}

/** Counts a mail. Returns null, or the ms until the window ends if the mail is above the limit and was not counted. Works in any role. */
export async function countMail(
  db: DatabaseHandle,
  { subject, maxMails, windowMs, now }: { subject: string; maxMails: number; windowMs: number; now: number },
): Promise<number | null> {
  const { rows } = await sql<{ wait: number | null }>`
    select count_mail(${subject}, ${maxMails}::integer, ${windowMs}::bigint, ${now}::bigint) as wait`.execute(db)
  return rows[0]?.wait ?? null
}
