/**
 * Writes of a session that has lapsed while nobody could be asked: each is sealed at once, by a pair whose private half only the
 * next login opens, and becomes an entry of the outbox then (decision 83).
 */
import { getUser } from '#contract/accounts.ts'
import type { Intent } from '#contract/endpoint.ts'
import { readMarks, noteMarks } from '#local/outbox/counters.ts'
import type { NewEntry } from '#local/outbox/enqueue.ts'
import { createPair, importSealKey } from '#local/seals/seal-crypto.ts'
import { newestKeyHere, readSealer } from '#local/seals/seal-keys.ts'
import { sealsIn } from '#local/seals/sealed-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { recordsToText } from '#local/storage/record-text.ts'
import type { Sealed } from '#local/storage/records.ts'
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
  const { intent, kind, target, ifMatch } = draft
  const row = typeof ifMatch === 'number' ? `${kind}:${target}:${ifMatch}` : null
  // No page shows what is sealed: whoever changes the row again does it on the version that the first one was made on.
  const before = row === null ? undefined : (await writesOn(db, row)).filter(({ id }) => id !== intent).at(-1)
  const chained = before ? { ...wish, ifMatch: `~${before.id}` } : wish
  const sealed = await sealer.seal(recordsToText([chained]))
  return await transact(db, ['outbox', 'meta'], async () => {
    const marks = await readMarks(db)
    if (gate !== undefined && marks.gate !== gate) return 'moved'
    const name = nameOf(intent)
    const there = (await db.meta.get(name)) as Sealed | undefined
    const order = there?.order ?? marks.made
    await db.meta.put({
      ...sealed,
      name,
      id: intent,
      entries: 1,
      order,
      ...(row === null ? {} : { row }),
    })
    if (!there) await noteMarks(db, { made: marks.made + 1, lastSeq: marks.lastSeq })
    return 'sealed'
  })
}

/** The sealed writes that were made on that version of the row, in their order. */
const writesOn = async (db: UserDatabase, row: string): Promise<Sealed[]> =>
  (await sealsIn(db)).filter((sealed) => sealed.row === row).sort((a, b) => (a.order ?? 0) - (b.order ?? 0))

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
