/**
 * Whoever is back is given what they left sealed (protocol 30). The keys of their older sessions are asked for by id, used
 * and forgotten; no answer of these calls is stored.
 */
import { deleteSealKeys, getUser, maxSealKeys } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { toWire } from '#contract/http-mapping.ts'
import { forgetSpentKeys, keysHere, keysIn, type SealKeys, spentKeys } from '#local/seals/seal-keys.ts'
import { unseal } from '#local/outbox/unseal.ts'
import { keyIdOf, sealsIn } from '#local/seals/sealed-records.ts'
import { readGate } from '#local/session/session-generation.ts'
import type { Ports } from '#request/ports.ts'
import type { CurrentSession } from '#request/session/current-session.ts'
import { isGood, jsonOf, type RequestData, type ResponseData } from '#request/transport/transport.ts'

type Whose = Pick<CurrentSession, 'db' | 'forUser'> & {
  /** `sendSignedIn`, which has seals opened itself for who is back by the cookie alone. */
  send: (ports: Ports, letter: RequestData) => Promise<ResponseData | null>
}

/**
 * How many writes came back. `again`: what did not open before is tried once more. Without a line what is sealed stays so,
 * and the next call goes on.
 */
export async function openSeals(ports: Ports, whose: Whose, { again = false } = {}): Promise<number> {
  const { db } = whose
  let back = 0
  if ((await sealsIn(db)).length > 0) {
    const generation = await readGate(db)
    back += await unseal(db, await keysHere(db), generation)
    const left = (await sealsIn(db)).filter(({ isShut }) => again || isShut !== true)
    for (const ids of inParts([...new Set(left.map(keyIdOf))])) {
      const keys = await askForKeys(ports, whose, ids)
      if (!keys) break
      back += await unseal(db, keys, generation)
    }
  }
  // Nobody waits for this: a key that the server keeps a little longer does no harm.
  if ((await spentKeys(db)).length > 0) ports.lasting(tellSpent(ports, whose))
  return back
}

/** Null: nobody can say now. */
async function askForKeys(ports: Ports, whose: Whose, ids: readonly number[]): Promise<SealKeys | null> {
  const answer = await ask(ports, whose, toWire(getUser, { query: { seals: ids.join(',') } }))
  const body = answer && (jsonOf(answer) as { seal_keys?: unknown } | undefined)
  // Only where it knows of ids does a missing one mean that the key is gone.
  if (!Array.isArray(body?.seal_keys)) return null
  const keys = keysIn(body)
  return new Map(ids.map((id) => [id, keys.get(id) ?? null]))
}

/** Told again the next time where it fails. */
async function tellSpent(ports: Ports, whose: Whose): Promise<void> {
  const { db } = whose
  for (const ids of inParts(await spentKeys(db))) {
    if (!(await ask(ports, whose, toWire(deleteSealKeys, { query: { ids: ids.join(',') } })))) return
    await forgetSpentKeys(db, ids)
  }
}

/** A good answer to this user; the session may have become another's meanwhile. */
async function ask(
  ports: Ports,
  { forUser, send }: Whose,
  { method, path }: Record<'method' | 'path', string>,
): Promise<ResponseData | null> {
  const answer = await send(ports, { method, path, headers: { [headers.forUser]: forUser }, body: null })
  return answer && isGood(answer) && answer.headers.get(headers.subject) === forUser ? answer : null
}

const inParts = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / maxSealKeys) }, (_, at) =>
    ids.slice(at * maxSealKeys, (at + 1) * maxSealKeys),
  )
