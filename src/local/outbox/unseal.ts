/** Restores a user's sealed data once the keys have arrived: data of a signed-out user, and writes of an expired session. */
import { storeMarks, readMarks } from '#local/outbox/counters.ts'
import { enqueueUnsealed, type NewEntry } from '#local/outbox/enqueue.ts'
import { importSealKey, openSealed, readSealPair } from '#local/seals/seal-crypto.ts'
import { addSpentKey, readStoredKeys, type SealKeys } from '#local/seals/seal-keys.ts'
import { type SealedContent, sealedTables } from '#local/seals/sealed-outbox.ts'
import { getSealKeyId, readSealedWrites } from '#local/seals/sealed-records.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { textToBytes, textToRecords } from '#local/storage/record-text.ts'
import type { OutboxEntry, SealedWrites } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'
import { renameEntry, renameReceipt, renameRecord, renameSealedWrite } from '#local/storage/upgrade.ts'

/**
 * Restores everything that these keys can open. Data that its key does not open stays sealed and is marked, so that no other write waits
 * for it. Returns the number of restored writes, which is 0 if the session of that generation has ended.
 */
export async function unseal(
  db: UserDatabase,
  sealKeys?: SealKeys,
  requestedGeneration?: number | null,
): Promise<number> {
  const sealedRecords = await readSealedWrites(db)
  if (sealedRecords.length === 0) return 0
  const generation = requestedGeneration === undefined ? await readSessionGeneration(db) : requestedGeneration
  const keys = sealKeys ?? (await readStoredKeys(db))
  let restoredCount = 0
  for (const sealedWrites of sortSealedRecords(sealedRecords)) {
    const text = keys.get(getSealKeyId(sealedWrites))
    if (text === undefined) continue
    const key = await importSealKey(text)
    const content = key && (await openSealed(key, sealedWrites, await readSealPair(db, getSealKeyId(sealedWrites))))
    const isWrite = sealedWrites.order !== undefined
    const restoredContent = isWrite ? null : parseContent(content)
    if (isWrite && content !== null)
      restoredCount += await restoreWrite(db, sealedWrites, { text: content, generation })
    else if (restoredContent) restoredCount += await restoreContent(db, sealedWrites, restoredContent, generation)
    else if (sealedWrites.isShut !== true) await db.table('meta').update(sealedWrites.name, { isShut: true })
  }
  return restoredCount
}

/** Data of a signed-out user comes first, then the writes of an expired session in the order in which they were recorded. */
const sortSealedRecords = (sealedRecords: readonly SealedWrites[]) =>
  sealedRecords.toSorted((a, b) => (a.order ?? -1) - (b.order ?? -1))

async function restoreWrite(
  db: UserDatabase,
  sealedWrites: SealedWrites,
  { text, generation }: { text: string; generation: number | null },
): Promise<number> {
  const [sealedDraft] = textToRecords<Record<string, unknown>>(text)
  if (!sealedDraft) return 0
  const draft = renameSealedWrite(sealedDraft) as unknown as NewEntry
  const entry = await enqueueUnsealed(db, draft, async () => {
    if (generation === null || (await readSessionGeneration(db)) !== generation) return false
    // Another tab may have restored the write already.
    if (!(await db.meta.get(sealedWrites.name))) return false
    await db.meta.delete(sealedWrites.name)
    await addSpentKey(db, getSealKeyId(sealedWrites))
    return true
  })
  return entry ? 1 : 0
}

async function restoreContent(
  db: UserDatabase,
  sealedWrites: SealedWrites,
  content: SealedContent,
  generation: number | null,
): Promise<number> {
  return await transact(db, [...sealedTables, 'meta'], async () => {
    // The user may have signed out while the key was requested.
    if (generation === null || (await readSessionGeneration(db)) !== generation) return 0
    if (!(await db.meta.get(sealedWrites.name))) return 0
    await db.rowIds.bulkPut(content.rowIds)
    await db.receipts.bulkPut(content.receipts)
    // Files are absent if a build sealed the content that stored no files.
    await db.files.bulkPut((content.files ?? []).map((file) => ({ ...file, bytes: textToBytes(file.bytes) })))
    await db.outbox.bulkPut(await renumberEntries(db, content.outbox))
    // A draft that exists now is newer. Drafts are absent in the content of earlier builds.
    for (const draft of content.drafts ?? []) if (!(await db.meta.get(draft.name))) await db.meta.put(draft)
    await db.meta.delete(sealedWrites.name)
    await addSpentKey(db, getSealKeyId(sealedWrites))
    return content.outbox.length
  })
}

/** Restored entries come first. Entries recorded since then are renumbered to follow them. */
async function renumberEntries(db: UserDatabase, restoredEntries: OutboxEntry[]): Promise<OutboxEntry[]> {
  const newerEntries = await db.outbox.orderBy('seq').toArray()
  const makeSendable = (entry: OutboxEntry): OutboxEntry =>
    entry.state === 'sign in' ? { ...entry, state: 'waiting', notBefore: 0 } : entry
  const { recordedCount, lastSeq } = await readMarks(db)
  const allEntries = [...restoredEntries.map(makeSendable), ...newerEntries].map((entry, index) => ({
    ...entry,
    seq: lastSeq + index + 1,
  }))
  await storeMarks(db, { recordedCount, lastSeq: lastSeq + allEntries.length })
  return allEntries
}

function upgradeContent({ names, typed, ...content }: Record<string, Record<string, unknown>[]>): SealedContent {
  return {
    files: [],
    ...content,
    outbox: content['outbox']?.map(renameEntry) ?? [],
    receipts: content['receipts']?.map(renameReceipt) ?? [],
    rowIds: content['rowIds'] ?? names ?? [],
    drafts: content['drafts'] ?? typed?.map(renameRecord) ?? [],
  } as unknown as SealedContent
}

/** Returns null if the key did not open the content, or if the text is invalid. */
function parseContent(text: string | null): SealedContent | null {
  if (text === null) return null
  try {
    return upgradeContent(JSON.parse(text) as Record<string, Record<string, unknown>[]>)
  } catch {
    return null
  }
}
