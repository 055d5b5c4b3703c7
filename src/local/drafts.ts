/** From a wish to an entry: its lane, what it is based on, what it waits for. One transaction, before anything is sent. */
import { endpointNamed, type Intent, type Kind } from '#contract/endpoint.ts'
import { type Entry, rowTables, rowsOf, transact, type UserDatabase } from '#local/database.ts'
import { idOf } from '#local/names.ts'
import { isParked } from '#local/outbox.ts'

export type Draft = Pick<
  Entry,
  | 'intent'
  | 'key'
  | 'endpoint'
  | 'kind'
  | 'table'
  | 'target'
  | 'makes'
  | 'asked'
  | 'ifMatch'
  | 'base'
  | 'forUser'
  | 'since'
> & { refers: Intent[]; versioned: boolean }

const fresh = {
  state: 'waiting',
  bytes: null,
  attempts: 0,
  notBefore: 0,
  held: null,
  fence: 0,
  leaseUntil: 0,
  problem: null,
} satisfies Partial<Entry>

/**
 * Adds a write, or returns the one that already waits under this intent: a form sent twice is one wish. A parked entry
 * is mended: new bytes, new key, same place in its lane (protocol 1, 20).
 */
export async function enqueue(db: UserDatabase, draft: Draft): Promise<Entry> {
  return await transact(db, ['outbox', 'names', 'receipts', ...rowTables], async () => {
    const there = await db.outbox.get(draft.intent)
    if (there && !isParked(there)) return there
    const settled = await db.receipts.get(draft.intent)
    const lane = there?.lane ?? (await laneOf(db, draft))
    const key = there || settled ? draft.key : draft.intent
    const { refers, versioned, ...given } = draft
    const others = (await db.outbox.orderBy('seq').toArray()).filter(({ intent }) => intent !== draft.intent)
    const entry: Entry = {
      ...given,
      ...fresh,
      key,
      lane,
      seq: there?.seq ?? (others.at(-1)?.seq ?? 0) + 1,
      ifMatch: versioned ? await baseOf(db, draft, there ? null : { lane, others }) : null,
      dependsOn: refers.filter((intent) => others.some((other) => other.intent === intent && other.lane !== lane)),
    }
    await db.outbox.put(entry)
    return entry
  })
}

/** One lane a row, whatever it is called: an id is taken back to the intent that made it (protocol 18). */
async function laneOf(db: UserDatabase, { kind, target, intent }: Draft): Promise<string> {
  if (target === null) return `${kind}:~${intent}`
  if (typeof target === 'string') return `${kind}:${target}`
  const name = await db.names.where('[kind+id]').equals([kind, target]).first()
  return name ? `${kind}:~${name.intent}` : `${kind}:${target}`
}

/**
 * What this write is based on: what its form was opened on; where no form says it, the newest own write on the row, else
 * the row. A mended write (`lane` null) is the user's word after seeing how the row stands now (protocol 9, 14).
 */
async function baseOf(
  db: UserDatabase,
  { ifMatch, target, table }: Draft,
  lane: { lane: string; others: Entry[] } | null,
): Promise<Entry['ifMatch']> {
  if (target === null) return null
  if (lane && ifMatch !== null) return ifMatch
  const newest = lane?.others.filter((entry) => entry.lane === lane.lane).at(-1)
  if (newest) return `~${newest.intent}`
  const id = await idOf(db, target)
  const stored = id === null ? undefined : await rowsOf(db, table).get(id)
  return stored?.version ?? null
}

/** Intents that an input refers to, where the contract declares a reference. */
export function refersTo(
  endpoint: string,
  asked: Entry['asked'],
  refKind: (schema: never) => Kind | undefined,
): Intent[] {
  const spec = endpointNamed(endpoint)
  const parts = [
    [spec?.params, asked.params],
    [spec?.query, asked.query],
    [spec?.body, asked.body],
  ] as const
  return parts.flatMap(([schema, values]) => {
    const shape = (schema as { shape?: Record<string, never> } | undefined)?.shape ?? {}
    return Object.entries(shape).flatMap(([name, field]) => {
      const value = (values as Record<string, unknown> | undefined)?.[name]
      return typeof value === 'string' && value.startsWith('~') && refKind(field) ? [value.slice(1)] : []
    })
  })
}
