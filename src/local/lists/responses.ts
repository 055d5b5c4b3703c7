import type { InputOf, Endpoint, OutputOf } from '#contract/endpoint.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { type Device, getThisDevice } from '#local/storage/device.ts'
import { findUserDatabase } from '#local/session/session.ts'

export interface AgedResponse<T> {
  output: T
  /** Server time, epoch ms. */
  asOf: number
}

/** Returns null if nothing is stored or no user is signed in. */
export async function readAgedResponse<E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  device: Device = getThisDevice(),
): Promise<AgedResponse<OutputOf<E>> | null> {
  const db = await findUserDatabase(device)
  const response = await db?.responses.get(toHttpRequest(endpoint, input as never).path)
  // A path stores only responses of its own call.
  return response ? { output: JSON.parse(response.body) as OutputOf<E>, asOf: response.asOf } : null
}

export const readResponseOutput = async <E extends Endpoint>(
  endpoint: E,
  input: InputOf<E>,
  device?: Device,
): Promise<OutputOf<E> | null> => (await readAgedResponse(endpoint, input, device))?.output ?? null

/** Returns all stored responses of a call without path parameters, for any query, oldest first. For a live query. */
export async function readAllAgedResponses<E extends Endpoint>(
  { path }: E,
  device: Device = getThisDevice(),
): Promise<AgedResponse<OutputOf<E>>[]> {
  const db = await findUserDatabase(device)
  const cachedResponses = (await db?.responses.where('path').startsWith(`${path}?`).toArray()) ?? []
  cachedResponses.sort((a, b) => a.asOf - b.asOf)
  return cachedResponses.map(({ body, asOf }) => ({ output: JSON.parse(body) as OutputOf<E>, asOf }))
}
