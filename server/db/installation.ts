/** Facts about the installation. */
import type { Handle } from '#server/db/handle.ts'

export async function factOf(db: Handle, name: string): Promise<string | null> {
  const row = await db.selectFrom('fact').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

/** Whether this call was the one that set it: of several nodes that start at once, one is. */
export async function setFactOnce(db: Handle, name: string, value: string): Promise<boolean> {
  const set = await db
    .insertInto('fact')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .returning('name')
    .executeTakeFirst()
  return set !== undefined
}
