/**
 * Removes a signed-out user's readable data. Rows are deleted. Writes that the server does not have yet are sealed under their session's
 * key, which only their user receives, until the user signs in again (protocol 30).
 */
import { getMetaRecord, type UserDatabase, wipedTables, storedTrailTables } from '#local/storage/database.ts'
import type { TextSealer } from '#local/seals/seal-crypto.ts'
import { addSpentKey, readSealer } from '#local/seals/seal-keys.ts'
import { storeTrailChoices } from '#local/storage/trail-choices.ts'
import { dropSealedCache, isGenerationClosed, sealCache } from '#local/seals/sealed-cache.ts'
import type { OutboxEntry, LocalFile, RowId, Receipt, SealedWrites, FormDraft } from '#local/storage/records.ts'
import { bytesToText } from '#local/storage/record-text.ts'
import { transact } from '#local/storage/transaction.ts'

/** Sealed together, because an entry needs its file, and the ids and receipts of the writes that it follows. */
export interface SealedContent {
  outbox: OutboxEntry[]
  rowIds: RowId[]
  receipts: Receipt[]
  /** Bytes as text, so that all content is one text. */
  files: (Omit<LocalFile, 'bytes'> & { bytes: string })[]
  drafts: FormDraft[]
}
export const sealedTables = ['outbox', 'rowIds', 'receipts', 'files'] as const
const isEmpty = (content: SealedContent) =>
  [...sealedTables, 'drafts' as const].every((table) => content[table].length === 0)
const getDrafts = (db: UserDatabase) => db.meta.where('name').startsWith('draft:')

/**
 * Closes the session generation first, so that no entry is claimed while the writes are sealed. The writes are deleted in the transaction
 * that stores them sealed. Returns false and stops if the generation has changed: the user has signed in again, or another page does this.
 */
export async function wipeUserData(
  db: UserDatabase,
  generation: number,
  { keepsCache = false } = {},
): Promise<boolean> {
  if (!(await closeSessionGeneration(db, generation))) return false
  const sealer = await readSealer(db)
  await transact(db, [...storedTrailTables, 'meta'], () => storeTrailChoices(db))
  if (!keepsCache || !sealer) await dropSealedCache(db)
  else if (!(await sealCache(db, sealer, generation + 1))) return false
  for (;;) {
    const content = await readContent(db)
    const sealedWrites = sealer && !isEmpty(content) ? await sealContent(sealer, content) : null
    const keyId = sealer?.keyId ?? 0
    const result = await wipeIfUnchanged(db, content, { sealedWrites, keyId, generation: generation + 1 })
    if (result !== 'changed') return result === 'wiped'
  }
}

async function sealContent(sealer: TextSealer, content: SealedContent): Promise<Omit<SealedWrites, 'name'>> {
  const sealedText = await sealer.seal(JSON.stringify(content))
  return { ...sealedText, entries: content.outbox.length, id: [...sealedText.iv].join('.') }
}

async function closeSessionGeneration(db: UserDatabase, generation: number): Promise<boolean> {
  return await transact(db, ['meta'], async () => {
    if (((await getMetaRecord(db, 'session-generation'))?.generation ?? 0) !== generation) return false
    await db.meta.put({ name: 'session-generation', open: false, generation: generation + 1 })
    return true
  })
}

/** Returns `changed` if a late response has changed the writes. They must then be sealed again. */
async function wipeIfUnchanged(
  db: UserDatabase,
  expectedContent: SealedContent,
  input: { sealedWrites: Omit<SealedWrites, 'name'> | null; keyId: number; generation: number },
): Promise<'wiped' | 'changed' | 'moved'> {
  const { sealedWrites, keyId, generation } = input
  return await transact(db, [...wipedTables, ...sealedTables, 'jobs', 'meta'], async () => {
    if (!(await isGenerationClosed(db, generation))) return 'moved'
    if (sealedWrites) {
      if (JSON.stringify(await readContent(db)) !== JSON.stringify(expectedContent)) return 'changed'
      for (const table of sealedTables) await db.table(table).clear()
      // Stored in addition to earlier sealed records that could not be opened yet.
      await db.meta.put({ ...sealedWrites, name: `sealed:${sealedWrites.id}` })
    } else {
      await db.receipts.toCollection().modify(forgetContent)
      await addSpentKey(db, keyId)
    }
    await getDrafts(db).delete()
    for (const table of wipedTables) await db.table(table).clear()
    await clearJobContents(db)
    return 'wiped'
  })
}

/** Without a key, the content of completed writes is deleted. Unsent writes stay readable, because losing them would be worse. */
function forgetContent(receipt: Receipt): void {
  receipt.body = ''
  if (receipt.about) receipt.about.name = null
}

/**
 * On sign-out, deletes the responses and inputs of jobs. Running jobs stay stored for their user, who can request the result again (the
 * server keeps it for a day). Must run inside a transaction over `jobs`.
 */
async function clearJobContents(db: UserDatabase): Promise<void> {
  await db.jobs.filter(({ state }) => state === 'failed' || state === 'gone').delete()
  await db.jobs.toCollection().modify((job) => {
    const isDone = job.state === 'done'
    Object.assign(job, { input: {}, answer: null, problem: null, ...(isDone ? { state: 'running', nextAt: 0 } : {}) })
  })
}

const readContent = async (db: UserDatabase): Promise<SealedContent> => ({
  outbox: await db.outbox.orderBy('seq').toArray(),
  rowIds: await db.rowIds.toArray(),
  receipts: await db.receipts.toArray(),
  files: (await db.files.toArray()).map((file) => ({ ...file, bytes: bytesToText(file.bytes) })),
  drafts: (await getDrafts(db).toArray()) as FormDraft[],
})
