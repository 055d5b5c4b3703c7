/** What a call that is read answered last, as the device keeps it. For a live query. */
import type { InputOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { toWire } from '#contract/http-mapping.ts'
import { type Device, thisDevice } from '#local/storage/device.ts'
import { readSession } from '#local/session/session.ts'

export interface Aged<T> {
  output: T
  /** Server time, epoch ms. */
  asOf: number
}

/** Null: nothing is kept of it, or nobody is signed in. */
export async function readAged<E extends Endpoint>(
  endpoint: E,
  asked: InputOf<E>,
  device: Device = thisDevice(),
): Promise<Aged<OutputOf<E>> | null> {
  const session = await readSession(device)
  if (!session || session.signedOut) return null
  const reading = await device.of(session).responses.get(toWire(endpoint, asked as never).path)
  // Only answers of the call itself stand under its path.
  return reading ? { output: JSON.parse(reading.body) as OutputOf<E>, asOf: reading.asOf } : null
}

/** The same without its age. */
export const readAnswer = async <E extends Endpoint>(
  endpoint: E,
  asked: InputOf<E>,
  device?: Device,
): Promise<OutputOf<E> | null> => (await readAged(endpoint, asked, device))?.output ?? null

/** All that is kept of a call without parameters in its path, whatever it was asked; the oldest first. For a live query. */
export async function readAllAged<E extends Endpoint>(
  { path }: E,
  device: Device = thisDevice(),
): Promise<Aged<OutputOf<E>>[]> {
  const session = await readSession(device)
  if (!session || session.signedOut) return []
  const kept = await device.of(session).responses.where('path').startsWith(`${path}?`).toArray()
  kept.sort((a, b) => a.asOf - b.asOf)
  return kept.map(({ body, asOf }) => ({ output: JSON.parse(body) as OutputOf<E>, asOf }))
}
