/** Which audit trails a user keeps here: the choice outlives the entries, which a logout wipes, and is followed after the next login. */
import type { UserDatabase } from '#local/storage/database.ts'
import type { TrailChoices } from '#local/storage/records.ts'
import { transact } from '#local/storage/transaction.ts'

export type TrailChoice = TrailChoices['choices'][number]

export async function readChoices(db: UserDatabase): Promise<TrailChoice[]> {
  const found = await db.meta.get('trail-choices')
  return found?.name === 'trail-choices' ? found.choices : []
}

/** Notes what is kept now, beside what was chosen before and is not here. Inside a transaction over `keptTrails` and `meta`. */
export async function noteChoices(db: UserDatabase): Promise<void> {
  const kept = await db.keptTrails.toArray()
  if (kept.length === 0) return
  const older = (await readChoices(db)).filter(({ companyId }) => kept.every((one) => one.companyId !== companyId))
  const now = kept.map(({ companyId, dateFrom, dateTo, follows }) => ({ companyId, dateFrom, dateTo, follows }))
  await db.meta.put({ name: 'trail-choices', choices: [...older, ...now] })
}

/** It is kept again, or nobody wants it any more. */
export async function forgetChoice(db: UserDatabase, companyId: number): Promise<void> {
  await transact(db, ['meta'], async () => {
    const left = (await readChoices(db)).filter((one) => one.companyId !== companyId)
    if (left.length > 0) await db.meta.put({ name: 'trail-choices', choices: left })
    else await db.meta.delete('trail-choices')
  })
}
