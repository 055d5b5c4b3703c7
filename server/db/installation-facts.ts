import type { DatabaseHandle } from '#server/db/database.ts'
import { hasRow } from '#server/db/find-row.ts'

export async function readFact(db: DatabaseHandle, name: string): Promise<string | null> {
  const row = await db.selectFrom('fact').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

/** Returns whether this call set the fact. If several nodes start at the same time, only one succeeds. */
export const setFactOnce = (db: DatabaseHandle, name: string, value: string) =>
  hasRow(
    db
      .insertInto('fact')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returning('name'),
  )

/** Sets the fact, also if it has a value already. */
export async function setFact(db: DatabaseHandle, name: string, value: string): Promise<void> {
  await db
    .insertInto('fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
