/** Password hashes (S-26) behind a bounded queue (S-33). Always called outside a transaction (protocol 27). */
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Config } from '#server/config/config.ts'
import { type HashingCaller, HashingQueue, type HashingQueuePosition } from '#server/use-cases/hashing-queue.ts'

type HashingCost = Config['argon2']

// 2: Argon2id. The package's own name for it is an ambient const enum, which cannot be used here.
const argon2id = 2

// One queue per process, because the cores are the process's.
const queue = new HashingQueue(availableParallelism())

/** Throws RATE_LIMITED where too many wait. Whatever is counted against guesses is counted inside. */
export const withQueuePosition = <T>(
  caller: HashingCaller,
  work: (position: HashingQueuePosition) => Promise<T>,
): Promise<T> => queue.runWithPosition(caller, work)

export const unknownCaller: HashingCaller = { kind: 'anonymous' }

/** Without a place it waits among the strangers. */
export const hashPassword = (password: string, cost: HashingCost, position?: HashingQueuePosition): Promise<string> => {
  const work = () => argon2Hash(password.normalize('NFC'), { ...cost, algorithm: argon2id })
  return position ? position.run(work) : withQueuePosition(unknownCaller, (newPosition) => newPosition.run(work))
}

interface VerifyOptions {
  cost: HashingCost
  position: HashingQueuePosition
}

/**
 * How a password fits: systems compose letters such as é in their own ways, so NFC is what is hashed and compared. `as typed`: the hash was
 * made before that, and is to be made anew. Null: it does not fit. A `storedHash` of null stands for no such account: the same work is done
 * for it (S-32).
 */
export async function matchPassword(
  storedHash: string | null,
  password: string,
  { cost, position }: VerifyOptions,
): Promise<'composed' | 'as typed' | null> {
  const comparedHash = storedHash ?? (await getDummyHash(cost))
  const composedPassword = password.normalize('NFC')
  const otherForms = [...new Set([password, password.normalize('NFD')])].filter((form) => form !== composedPassword)
  for (const form of [composedPassword, ...otherForms]) {
    const isMatch = await position.run(() => argon2Verify(comparedHash, form))
    if (isMatch && storedHash !== null) return form === composedPassword ? 'composed' : 'as typed'
  }
  return null
}

export const verifyPassword = async (
  storedHash: string | null,
  password: string,
  options: VerifyOptions,
): Promise<boolean> => (await matchPassword(storedHash, password, options)) !== null

const dummyHashesByCost = new Map<string, Promise<string>>()

/** A hash of no password at the present cost; made once, and before the first stranger could time its making. */
function getDummyHash(cost: HashingCost): Promise<string> {
  const costKey = JSON.stringify(cost)
  let dummyHash = dummyHashesByCost.get(costKey)
  if (!dummyHash) {
    dummyHash = argon2Hash(randomBytes(32), { ...cost, algorithm: argon2id })
    dummyHashesByCost.set(costKey, dummyHash)
  }
  return dummyHash
}

export const prepareDummyHash = async (cost: HashingCost): Promise<void> => {
  await getDummyHash(cost)
}

/** Whether a stored hash was made at less than the present cost. */
export function isOutdatedHash(storedHash: string, { memoryCost, timeCost, parallelism }: HashingCost): boolean {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(storedHash)
  if (!match) return true
  return Number(match[1]) < memoryCost || Number(match[2]) < timeCost || Number(match[3]) < parallelism
}
