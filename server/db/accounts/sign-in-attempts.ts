/**
 * Attempts at a password, counted before it is verified: two hundred guesses at once each find the count of those before
 * them (S-31). Failures within the window are free up to a limit; then each further one waits, longer every time, but never
 * for ever (S-30). A refused attempt does not push the wait further, so a stranger cannot lock anybody out.
 */
import { sql } from 'kysely'
import type { Handle } from '#server/db/handle.ts'

export interface Limit {
  subject: string
  free: number
}

export const attemptWindowMs = 10 * 60_000
const firstDelayMs = 30_000
const longestDelayMs = 15 * 60_000

/** Null: reserved. Otherwise the ms to wait; the transaction has to be rolled back then, because some may be counted. */
export async function reserveAttempt(db: Handle, limits: readonly Limit[], now: number): Promise<number | null> {
  for (const limit of limits) {
    const waitMs = await reserveOne(db, limit, now)
    if (waitMs !== null) return waitMs
  }
  return null
}

async function reserveOne(db: Handle, { subject, free }: Limit, now: number): Promise<number | null> {
  const delay = sql<number>`least(${longestDelayMs}::bigint, ${firstDelayMs}::bigint * power(2, least(attempt.failures + 1 - ${free}, 20))::bigint)`
  const stale = sql<boolean>`attempt.since <= ${now - attemptWindowMs}::bigint and attempt.not_before <= ${now - attemptWindowMs}::bigint`
  const reserved = await db
    .insertInto('attempt')
    .values({ subject, failures: 1, since: now, not_before: 0 })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet({
          failures: sql`case when ${stale} then 1 else attempt.failures + 1 end`,
          since: sql`case when ${stale} then ${now}::bigint else attempt.since end`,
          not_before: sql`case when ${stale} or attempt.failures + 1 < ${free} then 0 else ${now}::bigint + ${delay} end`,
        })
        .where('attempt.not_before', '<=', now),
    )
    .returning('failures')
    .executeTakeFirst()
  if (reserved) return null
  const { not_before } = await db
    .selectFrom('attempt')
    .select('not_before')
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow()
  return Math.max(1000, not_before - now)
}

/** How many attempts count against it at present; 0: none. */
export async function failuresOf(db: Handle, subject: string): Promise<number> {
  const found = await db.selectFrom('attempt').select('failures').where('subject', '=', subject).executeTakeFirst()
  return found?.failures ?? 0
}

/** Counts without a limit; answers how many there were in this window. */
export async function countForAll(db: Handle, subject: string, now: number): Promise<number> {
  const isOver = sql<boolean>`attempt.since <= ${now - attemptWindowMs}::bigint`
  const { failures } = await db
    .insertInto('attempt')
    .values({ subject, failures: 1, since: now, not_before: 0 })
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({
        failures: sql`case when ${isOver} then 1 else attempt.failures + 1 end`,
        since: sql`case when ${isOver} then ${now}::bigint else attempt.since end`,
        not_before: sql`case when ${isOver} then 0 else attempt.not_before end`,
      }),
    )
    .returning('failures')
    .executeTakeFirstOrThrow()
  return failures
}

/** True for one caller in a window, on whichever node. */
export async function sayOnce(db: Handle, subject: string, now: number): Promise<boolean> {
  const said = await db
    .updateTable('attempt')
    .set({ not_before: now })
    .where('subject', '=', subject)
    .where('not_before', '=', 0)
    .returning('subject')
    .executeTakeFirst()
  return said !== undefined
}

interface Forgiven {
  /** They start anew. */
  accounts: readonly string[]
  /** They lose the attempt that was reserved. `free` null: counted without a limit. */
  others: readonly { subject: string; free: number | null }[]
}

/** The password was right. */
export async function forgiveAttempts(db: Handle, { accounts, others }: Forgiven, now: number): Promise<void> {
  await db.deleteFrom('attempt').where('subject', 'in', accounts).execute()
  for (const { subject, free } of others)
    await db
      .updateTable('attempt')
      .set({
        failures: sql`greatest(failures - 1, 0)`,
        ...(free === null ? {} : { not_before: sql`case when failures - 1 < ${free} then 0 else not_before end` }),
      })
      .where('subject', '=', subject)
      .where('since', '<=', now)
      .execute()
}

/** Counts a mail. Null: counted; otherwise the ms to wait until the window ends, and nothing was counted. Any role may. */
export async function countMail(
  db: Handle,
  { subject, most, spanMs, now }: { subject: string; most: number; spanMs: number; now: number },
): Promise<number | null> {
  const { rows } = await sql<{ wait: number | null }>`
    select count_mail(${subject}, ${most}::integer, ${spanMs}::bigint, ${now}::bigint) as wait`.execute(db)
  return rows[0]?.wait ?? null
}
