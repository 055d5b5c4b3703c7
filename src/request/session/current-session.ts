import type { UserDatabase } from '#local/storage/database.ts'
import { readActiveSession } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import type { PipelinePorts } from '#request/ports.ts'
import { formatSubject } from '#request/session/subject.ts'

export interface CurrentSession {
  db: UserDatabase
  generation: number
  forUser: string
}

/** Returns null if no user is signed in. */
export async function readCurrentSession(ports: PipelinePorts): Promise<CurrentSession | null> {
  const device = await ports.device()
  const session = await readActiveSession(device)
  if (!session) return null
  const db = device.getDatabase(session)
  const generation = await readSessionGeneration(db)
  return generation === null ? null : { db, generation, forUser: formatSubject(session) }
}
