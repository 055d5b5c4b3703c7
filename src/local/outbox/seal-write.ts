/**
 * Writes of a session that has lapsed while nobody could be asked: each is sealed at once, by a pair whose private half only the
 * next login opens, and becomes an entry of the outbox then (decision 83).
 */
import { getUser } from '#contract/accounts.ts'
import type { Intent } from '#contract/endpoint.ts'
import { readMarks, noteMarks } from '#local/outbox/counters.ts'
import type { NewEntry } from '#local/outbox/enqueue.ts'
import { createPair, importSealKey } from '#local/outbox/seal-crypto.ts'
import { newestKeyHere, readSealer } from '#local/outbox/seal-keys.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { recordsToText } from '#local/storage/record-text.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * no key: the server has given none that could seal. moved: the session is not the one that is here any more. A write that comes
 * again under its intent takes the place of the first.
 */
export async function sealWrite(
  db: UserDatabase,
  draft: NewEntry,
  now: number,
): Promise<'sealed' | 'no key' | 'moved'> {
  await lockKeyAway(db, now)
  const sealer = await readSealer(db)
  if (!sealer) return 'no key'
  const { gate, isNew: _, ...wish } = draft
  const sealed = await sealer.seal(recordsToText([wish]))
  const { intent, endpoint, since } = draft
  return await transact(db, ['outbox', 'meta'], async () => {
    const marks = await readMarks(db)
    if (gate !== undefined && marks.gate !== gate) return 'moved'
    const name = nameOf(intent)
    const before = await db.meta.get(name)
    const order = before && 'order' in before ? (before.order ?? marks.made) : marks.made
    await db.meta.put({ ...sealed, name, id: intent, entries: 1, order, endpoint, since })
    if (!before) await noteMarks(db, { made: marks.made + 1, lastSeq: marks.lastSeq })
    return 'sealed'
  })
}

const nameOf = (intent: Intent) => `sealed:${intent}` as const

/** From here on nothing that stands on the device opens what is sealed by the pair. */
async function lockKeyAway(db: UserDatabase, now: number): Promise<void> {
  const said = await newestKeyHere(db)
  const key = await importSealKey(said?.key)
  if (!said || !key) return
  const pair = await createPair(said.id, key, now)
  await transact(db, ['responses', 'meta'], async () => {
    const reading = await db.responses.get(getUser.path)
    // Another page may have done it, or a login may have brought another key.
    if (!reading || (await newestKeyHere(db))?.id !== said.id) return
    await db.meta.put(pair)
    const body = { ...(JSON.parse(reading.body) as object), seal_key: null, session_seal_key: null, seal_keys: [] }
    await db.responses.put({ ...reading, body: JSON.stringify(body) })
  })
}
