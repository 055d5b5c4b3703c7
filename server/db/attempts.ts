/**
 * Attempts at a password, counted before it is verified: two hundred guesses at once each find the count of those before
 * them (S-31). Failures within the window are free up to a limit; then each further one waits, longer every time, but never
 * for ever (S-30). A refused attempt does not push the wait further, so a stranger cannot lock anybody out.
 */
import { sql } from 'kysely'
import type { Handle } from '#server/house.ts'

export interface Limit {
  subject: string
  free: number
}

const windowMs = 10 * 60_000
const firstDelayMs = 30_000
const longestDelayMs = 15 * 60_000

/** Null: reserved. Otherwise the ms to wait, and nothing was counted. */
export async function reserveAttempt(db: Handle, limits: readonly Limit[], now: number): Promise<number | null> {
  for (const [at, limit] of limits.entries()) {
    const waitMs = await reserveOne(db, limit, now)
    if (waitMs === null) continue
    await giveBack(db, limits.slice(0, at), now)
    return waitMs
  }
  return null
}

async function reserveOne(db: Handle, { subject, free }: Limit, now: number): Promise<number | null> {
  const delay = sql<number>`least(${longestDelayMs}::bigint, ${firstDelayMs}::bigint * power(2, least(attempt.failures + 1 - ${free}, 20))::bigint)`
  const stale = sql<boolean>`attempt.since <= ${now - windowMs}::bigint and attempt.not_before <= ${now - windowMs}::bigint`
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

/** The attempt was no guess after all. */
async function giveBack(db: Handle, limits: readonly Limit[], now: number): Promise<void> {
  for (const { subject, free } of limits)
    await db
      .updateTable('attempt')
      .set({
        failures: sql`greatest(failures - 1, 0)`,
        not_before: sql`case when failures - 1 < ${free} then 0 else not_before end`,
      })
      .where('subject', '=', subject)
      .where('since', '<=', now)
      .execute()
}

/** The password was right: the account starts anew, address and total lose the attempt that was reserved. */
export async function forgiveAttempt(
  db: Handle,
  account: string,
  others: readonly Limit[],
  now: number,
): Promise<void> {
  await db.deleteFrom('attempt').where('subject', '=', account).execute()
  await giveBack(db, others, now)
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
