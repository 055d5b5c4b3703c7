import { queryQueue } from '#local/outbox/enqueue-context.ts'
import { getMetaRecord, type UserDatabase } from '#local/storage/database.ts'
import { isParked } from '#local/outbox/read-entries.ts'
import { hasSessionExpired, type Session } from '#local/session/session.ts'
import type { OutboxEntry } from '#local/storage/records.ts'
import type { WaitReason } from '#request/call-results.ts'
import { isBlocked } from '#request/transport/blocked.ts'
import { toText } from '#request/writes/export-entries.ts'

type Blocker = Extract<WaitReason, { kind: 'earlier' | 'needs' }>

/** Returns the write for which this one waits, or null. Of a chain it is the write that waits for its user's decision, if there is one. */
async function findBlocker(db: UserDatabase, entry: OutboxEntry): Promise<Blocker | null> {
  const visitedIntents = new Set([entry.intent])
  const next = async (currentEntry: OutboxEntry): Promise<Blocker | null> => {
    const blockers = await findEarlierEntries(db, currentEntry)
    const parkedBlocker = blockers.find(({ earlierEntry }) => isParked(earlierEntry))
    if (parkedBlocker) return toBlocker(parkedBlocker)
    for (const { earlierEntry, kind } of blockers) {
      if (visitedIntents.has(earlierEntry.intent)) continue
      visitedIntents.add(earlierEntry.intent)
      const rootBlocker = await next(earlierEntry)
      if (rootBlocker && isParked(rootBlocker)) return { ...rootBlocker, kind }
    }
    return blockers[0] ? toBlocker(blockers[0]) : null
  }
  return await next(entry)
}

interface EarlierEntry {
  kind: Blocker['kind']
  earlierEntry: OutboxEntry
}

const toBlocker = ({ kind, earlierEntry: { intent, state } }: EarlierEntry): Blocker => ({ kind, intent, state })

async function findEarlierEntries(db: UserDatabase, entry: OutboxEntry): Promise<EarlierEntry[]> {
  const [firstInQueue, requiredEntries] = await Promise.all([
    queryQueue(db, entry.queueKey).first(),
    db.outbox.where('intent').anyOf(entry.dependsOn).sortBy('seq'),
  ])
  return [
    ...(firstInQueue && firstInQueue.intent !== entry.intent
      ? [{ kind: 'earlier' as const, earlierEntry: firstInQueue }]
      : []),
    ...requiredEntries.map((earlierEntry) => ({ kind: 'needs' as const, earlierEntry })),
  ]
}

/** Returns the reason why the entry is not being sent now. */
export async function findWaitReason(
  db: UserDatabase,
  entry: OutboxEntry,
  { now, session }: { now: number; session: Session },
): Promise<WaitReason | null> {
  if (isParked(entry)) return { kind: 'user' }
  const { state } = entry
  if (state === 'dropping' || state === 'sign in' || state === 'sending') return { kind: state }
  const blocker = await findBlocker(db, entry)
  if (blocker) return blocker
  // A connection alone is not enough, because the server no longer renews this session.
  if (hasSessionExpired(session, now)) return { kind: 'sign in' }
  const pause = await getMetaRecord(db, 'pause')
  if (pause && pause.until > now && pause.since <= now) return { kind: 'server', until: pause.until }
  return getDelayReason(entry, now)
}

function getDelayReason({ problem, delayedBy, notBefore: until }: OutboxEntry, now: number): WaitReason {
  if (problem?.code === 'RESOURCE_LOCKED') {
    const { user, action } = (problem.data ?? {}) as { user?: unknown; action?: unknown }
    return { kind: 'locked', userName: toText(user), actionName: toText(action), until }
  }
  if (problem?.code === 'COMPANY_MAIL_LIMIT') return { kind: 'mails', until }
  if (isBlocked(problem)) return { kind: 'blocked', problem, until }
  if (delayedBy === 'network') return { kind: 'line', until }
  return until > now ? { kind: 'server', until } : { kind: 'turn' }
}
