/** Audit trails that a user wants on this device. A logout deletes the entries, but not this choice. */
import { getMetaRecord, type UserDatabase } from '#local/storage/database.ts'
import type { TrailChoices } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

export type TrailChoice = TrailChoices['choices'][number]

export const readTrailChoices = async (db: UserDatabase): Promise<TrailChoice[]> =>
  (await getMetaRecord(db, 'trail-choices'))?.choices ?? []

/**
 * Stores the choices of all stored trails, and keeps those of other companies. Must run inside a transaction over `storedTrails` and
 * `meta`.
 */
export async function storeTrailChoices(db: UserDatabase): Promise<void> {
  const storedTrails = await db.storedTrails.toArray()
  if (storedTrails.length === 0) return
  const olderChoices = (await readTrailChoices(db)).filter(({ companyId }) =>
    storedTrails.every((storedTrail) => storedTrail.companyId !== companyId),
  )
  const choices = storedTrails.map(({ companyId, dateFrom, dateTo, follows }) => ({
    companyId,
    dateFrom,
    dateTo,
    follows,
  }))
  await db.meta.put({ name: 'trail-choices', choices: [...olderChoices, ...choices] })
}

export async function deleteTrailChoice(db: UserDatabase, companyId: number): Promise<void> {
  await transact(db, ['meta'], async () => {
    const remainingChoices = (await readTrailChoices(db)).filter((choice) => choice.companyId !== companyId)
    if (remainingChoices.length > 0) await db.meta.put({ name: 'trail-choices', choices: remainingChoices })
    else await db.meta.delete('trail-choices')
  })
}
