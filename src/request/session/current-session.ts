/** The signed-in user's database with its session generation, for code that runs outside a page's request. */
import type { UserDatabase } from '#local/storage/database.ts'
import { readSession } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { Ports } from '#request/ports.ts'
import { subjectOf } from '#request/session/subject.ts'

/** Whose rows, and which session they were asked under. */
export interface CurrentSession {
  db: UserDatabase
  generation: number
  forUser: string
}

/** Null: nobody is signed in. */
export async function currentSession(ports: Ports): Promise<CurrentSession | null> {
  const device = await ports.device()
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const db = device.of(session)
  const generation = await readGate(db)
  return generation === null ? null : { db, generation, forUser: subjectOf(session) }
}
