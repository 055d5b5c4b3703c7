/** The signed-in user's database with its session generation, for code that runs outside a page's request. */
import type { UserDatabase } from '#local/storage/database.ts'
import { readActiveSession } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { formatSubject } from '#request/session/subject.ts'

/** Whose rows, and which session they were asked under. */
export interface CurrentSession {
  db: UserDatabase
  generation: number
  forUser: string
}

/** Null: nobody is signed in. */
export async function readCurrentSession(ports: PipelinePorts): Promise<CurrentSession | null> {
  const device = await ports.device()
  const session = await readActiveSession(device)
  if (!session) return null
  const db = device.getDatabase(session)
  const generation = await readSessionGeneration(db)
  return generation === null ? null : { db, generation, forUser: formatSubject(session) }
}
