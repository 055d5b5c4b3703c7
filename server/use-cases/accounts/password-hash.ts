/** Password hashes (S-26) behind a bounded queue (S-33). Always called outside a transaction (protocol 27). */
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Config } from '#server/config/config.ts'
import { type Asker, HashingQueue, type Place } from '#server/use-cases/hashing-queue.ts'

type Cost = Config['argon2']

// 2: Argon2id. The package's own name for it is an ambient const enum, which cannot be used here.
const argon2id = 2

// One queue per process, because the cores are the process's.
const queue = new HashingQueue(availableParallelism())

/** Throws RATE_LIMITED where too many wait. Whatever is counted against guesses is counted inside. */
export const withPlace = <T>(asker: Asker, work: (place: Place) => Promise<T>): Promise<T> => queue.hold(asker, work)

export const unknownAsker: Asker = { kind: 'stranger' }

/** Without a place it waits among the strangers. */
export const hashPassword = (password: string, cost: Cost, place?: Place): Promise<string> => {
  const work = () => argon2Hash(password.normalize('NFC'), { ...cost, algorithm: argon2id })
  return place ? place.run(work) : withPlace(unknownAsker, (own) => own.run(work))
}

interface Verifying {
  cost: Cost
  place: Place
}

/**
 * How a password fits: systems compose letters such as é in their own ways, so NFC is what is hashed and compared. `as typed`: the hash was
 * made before that, and is to be made anew. Null: it does not fit. A `hashed` of null stands for no such account: the same work is done
 * for it (S-32).
 */
export async function matchPassword(
  hashed: string | null,
  password: string,
  { cost, place }: Verifying,
): Promise<'composed' | 'as typed' | null> {
  const against = hashed ?? (await nobodys(cost))
  const composed = password.normalize('NFC')
  const others = [...new Set([password, password.normalize('NFD')])].filter((form) => form !== composed)
  for (const form of [composed, ...others]) {
    const fits = await place.run(() => argon2Verify(against, form))
    if (fits && hashed !== null) return form === composed ? 'composed' : 'as typed'
  }
  return null
}

export const verifyPassword = async (hashed: string | null, password: string, verifying: Verifying): Promise<boolean> =>
  (await matchPassword(hashed, password, verifying)) !== null

const made = new Map<string, Promise<string>>()

/** A hash of no password at the present cost; made once, and before the first stranger could time its making. */
function nobodys(cost: Cost): Promise<string> {
  const name = JSON.stringify(cost)
  let found = made.get(name)
  if (!found) {
    found = argon2Hash(randomBytes(32), { ...cost, algorithm: argon2id })
    made.set(name, found)
  }
  return found
}

export const warmUp = async (cost: Cost): Promise<void> => {
  await nobodys(cost)
}

/** Whether a stored hash was made at less than the present cost. */
export function isOutdated(hashed: string, { memoryCost, timeCost, parallelism }: Cost): boolean {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(hashed)
  if (!found) return true
  return Number(found[1]) < memoryCost || Number(found[2]) < timeCost || Number(found[3]) < parallelism
}
