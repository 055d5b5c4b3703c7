/** Address at which the node that runs hosted services answers other nodes. It is stored as a fact, so that nodes need no setting for it. */
import type { DatabaseHandle } from '#server/db/database.ts'
import { readFact } from '#server/db/installation-facts.ts'

const factName = 'address of the hosting node'

/** Returns null if no node has run services yet. */
export const readHostingNodeUrl = (db: DatabaseHandle): Promise<string | null> => readFact(db, factName)

export async function storeHostingNodeUrl(db: DatabaseHandle, url: string): Promise<void> {
  await db
    .insertInto('fact')
    .values({ name: factName, value: url })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: url }))
    .execute()
}
