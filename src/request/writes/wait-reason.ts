/** Why an entry of the outbox has not been sent yet. */
import { inQueue } from '#local/outbox/enqueue-context.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { hasLapsed, type Session } from '#local/session/session.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import type { WaitReason } from '#request/results.ts'
import { isBlocked } from '#request/transport/blocked.ts'
import { textOf } from '#request/writes/export-entries.ts'

type Blocker = Extract<WaitReason, { why: 'earlier' | 'needs' }>

/**
 * The write that this one waits for. At the end of a chain of writes that wait for each other it is the one that waits for its user's
 * decision, if there is such a one.
 */
async function findBlocker(db: UserDatabase, entry: OutboxEntry): Promise<Blocker | null> {
  const seen = new Set([entry.intent])
  const next = async (one: OutboxEntry): Promise<Blocker | null> => {
    const direct = await findAhead(db, one)
    const parked = direct.find(({ other }) => isParked(other))
    if (parked) return toBlocker(parked)
    for (const { other, why } of direct) {
      if (seen.has(other.intent)) continue
      seen.add(other.intent)
      const root = await next(other)
      if (root && isParked(root)) return { ...root, why }
    }
    return direct[0] ? toBlocker(direct[0]) : null
  }
  return await next(entry)
}

interface Ahead {
  why: Blocker['why']
  other: OutboxEntry
}

const toBlocker = ({ why, other: { intent, state } }: Ahead): Blocker => ({ why, intent, state })

async function findAhead(db: UserDatabase, entry: OutboxEntry): Promise<Ahead[]> {
  const [first, awaited] = await Promise.all([
    inQueue(db, entry.queueKey).first(),
    db.outbox.where('intent').anyOf(entry.dependsOn).sortBy('seq'),
  ])
  return [
    ...(first && first.intent !== entry.intent ? [{ why: 'earlier' as const, other: first }] : []),
    ...awaited.map((other) => ({ why: 'needs' as const, other })),
  ]
}

/** Null: it does not wait, or is not there. */
export async function whyWaits(
  db: UserDatabase,
  entry: OutboxEntry,
  { now, session }: { now: number; session: Session },
): Promise<WaitReason | null> {
  if (isParked(entry)) return { why: 'user' }
  if (entry.state === 'dropping') return { why: 'dropping' }
  if (entry.state === 'sign in') return { why: 'sign in' }
  if (entry.state === 'sending') return { why: 'sending' }
  const blocker = await findBlocker(db, entry)
  if (blocker) return blocker
  // A connection alone will not send it: the server renews this session no longer.
  if (hasLapsed(session, now)) return { why: 'sign in' }
  const pause = await db.meta.get('pause')
  if (pause?.name === 'pause' && pause.until > now && pause.since <= now) return { why: 'server', until: pause.until }
  if (entry.problem?.code === 'RESOURCE_LOCKED') {
    const { user, action } = (entry.problem.data ?? {}) as { user?: unknown; action?: unknown }
    return { why: 'locked', who: textOf(user), what: textOf(action), until: entry.notBefore }
  }
  if (entry.problem?.code === 'COMPANY_MAIL_LIMIT') return { why: 'mails', until: entry.notBefore }
  if (isBlocked(entry.problem)) return { why: 'blocked', problem: entry.problem, until: entry.notBefore }
  if (entry.delayedBy === 'network') return { why: 'line', until: entry.notBefore }
  return entry.notBefore > now ? { why: 'server', until: entry.notBefore } : { why: 'turn' }
}
