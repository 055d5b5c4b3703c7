/** What a call that is read answered last, as the device keeps it. For a live query. */
import type { InputOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { findUserDatabase } from '#local/session/session.ts'

export interface AgedResponse<T> {
  output: T
  /** Server time, epoch ms. */
  asOf: number
}

/** Null: nothing is kept of it, or nobody is signed in. */
export async function readAgedResponse<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  device: Device = getThisDevice(),
): Promise<AgedResponse<OutputOf<E>> | null> {
  const db = await findUserDatabase(device)
  const response = await db?.responses.get(toHttpRequest(endpoint, input as never).path)
  // Only answers of the call itself stand under its path.
  return response ? { output: JSON.parse(response.body) as OutputOf<E>, asOf: response.asOf } : null
}

/** The same without its age. */
export const readResponseOutput = async <E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  device?: Device,
): Promise<OutputOf<E> | null> => (await readAgedResponse(endpoint, input, device))?.output ?? null

/** All that is kept of a call without parameters in its path, whatever it was asked; the oldest first. For a live query. */
export async function readAllAgedResponses<E extends Endpoint>(
  { path }: E,
  device: Device = getThisDevice(),
): Promise<AgedResponse<OutputOf<E>>[]> {
  const db = await findUserDatabase(device)
  const cachedResponses = (await db?.responses.where('path').startsWith(`${path}?`).toArray()) ?? []
  cachedResponses.sort((a, b) => a.asOf - b.asOf)
  return cachedResponses.map(({ body, asOf }) => ({ output: JSON.parse(body) as OutputOf<E>, asOf }))
}
