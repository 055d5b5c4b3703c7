/**
 * Seals each write of an expired session while the server cannot be reached. It uses a key pair whose private half only the next login can
 * open; the write then becomes an outbox entry (decision 83).
 */
import { getUser } from '#contract/accounts.ts'
import type { Intent } from '#contract/endpoint.ts'
import { readMarks, storeMarks } from '#local/outbox/counters.ts'
import type { NewEntry } from '#local/outbox/enqueue.ts'
import { createSealPair, importSealKey } from '#local/seals/seal-crypto.ts'
import { readNewestStoredKey, readSealer } from '#local/seals/seal-keys.ts'
import { readSealedWrites } from '#local/seals/sealed-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'
import { recordsToText } from '#local/storage/record-text.ts'
import type { SealedWrites } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

/**
 * `no key`: this device has neither the session's key nor a key pair. `moved`: the session has changed. A repeated intent replaces the
 * first write.
 */
export async function sealWrite(
  db: UserDatabase,
  draft: NewEntry,
  now: number,
): Promise<'sealed' | 'no key' | 'moved'> {
  await lockSealKey(db, now)
  const sealer = await readSealer(db)
  if (!sealer) return 'no key'
  const { sessionGeneration, isNew: _, ...storedDraft } = draft
  const { intent, kind, target, ifMatch } = draft
  const row = typeof ifMatch === 'number' ? `${kind}:${target}:${ifMatch}` : null
  // Pages do not show sealed writes, so a second change of the row was made on the same version as the first. It is based on the first
  // write instead.
  const earlierWrite =
    row === null ? undefined : (await readWritesOnRow(db, row)).filter(({ id }) => id !== intent).at(-1)
  const chainedDraft = earlierWrite ? { ...storedDraft, ifMatch: `~${earlierWrite.id}` } : storedDraft
  const sealedText = await sealer.seal(recordsToText([chainedDraft]))
  return await transact(db, ['outbox', 'meta'], async () => {
    const marks = await readMarks(db)
    if (sessionGeneration !== undefined && marks.sessionGeneration !== sessionGeneration) return 'moved'
    const name = toSealName(intent)
    const previousSeal = (await db.meta.get(name)) as SealedWrites | undefined
    const order = previousSeal?.order ?? marks.recordedCount
    await db.meta.put({
      ...sealedText,
      name,
      id: intent,
      entries: 1,
      order,
      ...(row === null ? {} : { row }),
    })
    if (!previousSeal) await storeMarks(db, { recordedCount: marks.recordedCount + 1, lastSeq: marks.lastSeq })
    return 'sealed'
  })
}

const readWritesOnRow = async (db: UserDatabase, row: string): Promise<SealedWrites[]> =>
  (await readSealedWrites(db)).filter((sealed) => sealed.row === row).sort((a, b) => (a.order ?? 0) - (b.order ?? 0))

const toSealName = (intent: Intent) => `sealed:${intent}` as const

/** Removes the session's key. From then on nothing on the device can open what is sealed with the key pair. */
async function lockSealKey(db: UserDatabase, now: number): Promise<void> {
  const sealKey = await readNewestStoredKey(db)
  const key = await importSealKey(sealKey?.key)
  if (!sealKey || !key) return
  const pair = await createSealPair(sealKey.id, key, now)
  await transact(db, ['responses', 'meta'], async () => {
    const response = await db.responses.get(getUser.path)
    // Another page may have done this already, or a login may have brought another key.
    if (!response || (await readNewestStoredKey(db))?.id !== sealKey.id) return
    await db.meta.put(pair)
    const body = { ...(JSON.parse(response.body) as object), seal_key: null, session_seal_key: null, seal_keys: [] }
    await db.responses.put({ ...response, body: JSON.stringify(body) })
  })
}
