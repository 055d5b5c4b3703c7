/**
 * A list's page as it was last drawn for its user: the worker lays it into the page it answers with, so that rows stand
 * there before any script has run (L3, L4). Kept among the readings, which go with the sign-out and with "clear" (protocol
 * 29), and only of whoever is here.
 */
import { type Subject, transact, type UserDatabase } from '#local/database.ts'
import { type Device, thisDevice } from '#local/device.ts'
import { hasLapsed, readGate, readSession } from '#local/session.ts'

export interface Drawn {
  /** Of other builds the looks may be others. */
  build: string
  /** Path and query, as the browser asks for it. */
  address: string
  /** Of the page's root element. */
  language: string
  theme: string
  /** Style sheets that the page itself does not name: path, and how React orders it. */
  sheets: (readonly [path: string, precedence: string])[]
  /** What stands in the page's root. */
  html: string
}

/** A list with every column and fifty rows has some 60 kB. */
const mostLetters = 400_000
const prefix = 'drawn '
const nameOf = (address: string) => prefix + address.split('?', 1)[0]

/** The last view of each path. Nothing where somebody else is here by now. */
export async function keepDrawn(drawn: Drawn, subject: Subject, device: Device = thisDevice()): Promise<void> {
  if (drawn.html.length > mostLetters) return
  const db = device.of(subject)
  const reading = { path: nameOf(drawn.address), body: JSON.stringify(drawn), asOf: Date.now() }
  await transact(db, ['readings', 'meta'], async () => {
    if ((await readGate(db)) !== null) await db.readings.put(reading)
  })
}

/** Null: nothing of this very view, of another build, or nobody may be shown anything without being asked first. */
export async function findDrawn(
  address: string,
  { build, now }: { build: string; now: number },
  device: Device = thisDevice(),
): Promise<Drawn | null> {
  const session = await readSession(device)
  if (!session || session.signedOut || hasLapsed(session, now)) return null
  const found = await device.of(session).readings.get(nameOf(address))
  const drawn = found ? (JSON.parse(found.body) as Drawn) : null
  return drawn?.build === build && drawn.address === address ? drawn : null
}

/** A row has gone: what was drawn of it does not stay either. */
export const forgetDrawn = (db: UserDatabase) =>
  void db.readings
    .where('path')
    .startsWith(prefix)
    .delete()
    .catch(() => undefined)
