import { randomUUID } from 'node:crypto'
import { readFact, setFactOnce } from '#server/db/installation-facts.ts'
import { type DatabaseOwner, writeAsSystem } from '#server/db/transaction.ts'

const factName = 'installation'

/** Returns the random id of the database. It is created once, and a restored database keeps it. */
export async function readInstallationId(app: DatabaseOwner): Promise<string> {
  const id = await writeAsSystem(app, async (db) => {
    await setFactOnce(db, factName, randomUUID())
    return readFact(db, factName)
  })
  if (id === null) throw new Error('the database has no id')
  return id
}
