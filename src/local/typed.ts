/**
 * What stands typed in a long form, kept on the device at every step: it survives a reload, a closed browser and a lost
 * network. It belongs to its user like what waits to be sent: who signs out takes it along, sealed (local/seal).
 */
import { transact, type Typed } from '#local/database.ts'
import { type Device, thisDevice } from '#local/device.ts'
import { openGate, readSession } from '#local/session.ts'

const nameOf = (form: string) => `typed:${form}` as const

/** Null: nothing is kept, or nobody is signed in. For a live query too. */
export async function readTyped(form: string, device: Device = thisDevice()): Promise<Typed | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const found = await device.of(session).meta.get(nameOf(form))
  return (found as Typed | undefined) ?? null
}

/** Null forgets it. False: it could not be kept, for nobody is signed in or the device has no room. */
export async function keepTyped(form: string, value: unknown, device: Device = thisDevice()): Promise<boolean> {
  const session = await readSession(device)
  if (!session || session.signedOut) return false
  const db = device.of(session)
  try {
    return await transact(db, ['meta'], async () => {
      // A session that has ended meanwhile has taken along what was kept.
      if (openGate(await db.meta.get('gate')) === null) return false
      if (value === null) await db.meta.delete(nameOf(form))
      else await db.meta.put({ name: nameOf(form), value, at: Date.now() })
      return true
    })
  } catch {
    return false
  }
}
