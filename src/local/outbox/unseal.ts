/** Brings back what lay sealed for a user, once the keys are there: what they left, and the writes of a session that had lapsed. */
import { noteMarks, readMarks } from '#local/outbox/counters.ts'
import { enqueueOpened, type NewEntry } from '#local/outbox/enqueue.ts'
import { importSealKey, openSealed, readPair } from '#local/seals/seal-crypto.ts'
import { addSpentKey, keysHere, type SealKeys } from '#local/seals/seal-keys.ts'
import { type Belongings, belongings } from '#local/seals/sealed-outbox.ts'
import { keyIdOf, sealsIn } from '#local/seals/sealed-records.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { textToBytes, textToRecords } from '#local/storage/record-text.ts'
import type { OutboxEntry, Sealed } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'
import { renameEntry, renameReceipt, renameRecord } from '#local/storage/upgrade.ts'

/**
 * Brings back what was sealed for this user, as far as its keys are among these. What its own key does not open stays as it
 * is, and holds nothing up. How many writes came back; none where the session of that generation is over.
 */
export async function unseal(db: UserDatabase, given?: SealKeys, asked?: number | null): Promise<number> {
  const found = await sealsIn(db)
  if (found.length === 0) return 0
  const generation = asked === undefined ? await readGate(db) : asked
  const keys = given ?? (await keysHere(db))
  let back = 0
  for (const sealed of inOrder(found)) {
    const text = keys.get(keyIdOf(sealed))
    if (text === undefined) continue
    const key = await importSealKey(text)
    const content = key && (await openSealed(key, sealed, await readPair(db, keyIdOf(sealed))))
    const isWrite = sealed.order !== undefined
    const left = isWrite ? null : toBelongings(content)
    if (isWrite && content !== null) back += await openWrite(db, sealed, { text: content, generation })
    else if (left) back += await putBack(db, sealed, left, generation)
    else if (sealed.isShut !== true) await db.table('meta').update(sealed.name, { isShut: true })
  }
  return back
}

/** What a user left comes before the writes of a session that had lapsed, and these in the order they were made in. */
const inOrder = (found: readonly Sealed[]) => found.toSorted((a, b) => (a.order ?? -1) - (b.order ?? -1))

/** Becomes an entry of the outbox, as it would have become one when it was made. */
async function openWrite(
  db: UserDatabase,
  sealed: Sealed,
  { text, generation }: { text: string; generation: number | null },
): Promise<number> {
  const [draft] = textToRecords<NewEntry>(text)
  if (!draft) return 0
  const entry = await enqueueOpened(db, draft, async () => {
    if (generation === null || (await readGate(db)) !== generation) return false
    // Two tabs may open it at once.
    if (!(await db.meta.get(sealed.name))) return false
    await db.meta.delete(sealed.name)
    await addSpentKey(db, keyIdOf(sealed))
    return true
  })
  return entry ? 1 : 0
}

async function putBack(
  db: UserDatabase,
  sealed: Sealed,
  opened: Belongings,
  generation: number | null,
): Promise<number> {
  return await transact(db, [...belongings, 'meta'], async () => {
    // Its user has gone again while the key was on its way.
    if (generation === null || (await readGate(db)) !== generation) return 0
    // Two tabs may open it at once.
    if (!(await db.meta.get(sealed.name))) return 0
    await db.rowIds.bulkPut(opened.rowIds)
    await db.receipts.bulkPut(opened.receipts)
    // Sealed by a build that kept no files.
    await db.files.bulkPut((opened.files ?? []).map((file) => ({ ...file, bytes: textToBytes(file.bytes) })))
    await db.outbox.bulkPut(await behind(db, opened.outbox))
    // What has been typed since is newer, and an earlier build sealed none.
    for (const draft of opened.drafts ?? []) if (!(await db.meta.get(draft.name))) await db.meta.put(draft)
    await db.meta.delete(sealed.name)
    await addSpentKey(db, keyIdOf(sealed))
    return opened.outbox.length
  })
}

/** What was made before comes before: written since under the same session, the others move behind it. */
async function behind(db: UserDatabase, old: OutboxEntry[]): Promise<OutboxEntry[]> {
  const since = await db.outbox.orderBy('seq').toArray()
  const free = (entry: OutboxEntry): OutboxEntry =>
    entry.state === 'sign in' ? { ...entry, state: 'waiting', notBefore: 0 } : entry
  const { made, lastSeq } = await readMarks(db)
  const all = [...old.map(free), ...since].map((entry, at) => ({ ...entry, seq: lastSeq + at + 1 }))
  await noteMarks(db, { made, lastSeq: lastSeq + all.length })
  return all
}

/** What was sealed before version 5 of the database, in today's names. */
function upgradeBelongings({ names, typed, ...content }: Record<string, Record<string, unknown>[]>): Belongings {
  return {
    files: [],
    ...content,
    outbox: content['outbox']?.map(renameEntry) ?? [],
    receipts: content['receipts']?.map(renameReceipt) ?? [],
    rowIds: content['rowIds'] ?? names ?? [],
    drafts: content['drafts'] ?? typed?.map(renameRecord) ?? [],
  } as unknown as Belongings
}

/** Null: it is not ours to open. */
function toBelongings(text: string | null): Belongings | null {
  if (text === null) return null
  try {
    return upgradeBelongings(JSON.parse(text) as Record<string, Record<string, unknown>[]>)
  } catch {
    return null
  }
}
