/** Hashes and verifies passwords (S-26) behind a bounded queue (S-33). Must be called outside of a transaction (protocol 27). */
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Config } from '#server/config/config.ts'
import { type HashingCaller, HashingQueue, type HashingQueuePosition } from '#server/use-cases/hashing-queue.ts'

type HashingCost = Config['argon2']

// The package's number for Argon2id. Its own constant is an ambient const enum, which cannot be used here.
const argon2id = 2

// One queue per process, because all requests share its CPU cores.
const queue = new HashingQueue(availableParallelism())

/** Runs `work` with a place in the queue. Throws RATE_LIMITED if too many requests wait. Guesses are counted inside `work`. */
export const withQueuePosition = <T>(
  caller: HashingCaller,
  work: (position: HashingQueuePosition) => Promise<T>,
): Promise<T> => queue.runWithPosition(caller, work)

export const unknownCaller: HashingCaller = { kind: 'anonymous' }

/** Without a `position`, the hash waits among those of unknown callers. */
export const hashPassword = (password: string, cost: HashingCost, position?: HashingQueuePosition): Promise<string> => {
  const work = () => argon2Hash(password.normalize('NFC'), { ...cost, algorithm: argon2id })
  return position ? position.run(work) : withQueuePosition(unknownCaller, (newPosition) => newPosition.run(work))
}

interface VerifyOptions {
  cost: HashingCost
  position: HashingQueuePosition
}

/**
 * Compares a password with a stored hash: first in its NFC form, because systems compose letters such as é differently, then as typed and
 * in its NFD form. Returns `as typed` if only one of these other forms matches: the hash is from before that rule and must be replaced.
 * Returns null if the password is wrong. With `storedHash` null (no such account) the same work is done (S-32).
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

/**
 * Returns a hash at the current cost that no password matches. It is computed once at the start of the server, so that no request takes
 * longer for it.
 */
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

export function isOutdatedHash(storedHash: string, { memoryCost, timeCost, parallelism }: HashingCost): boolean {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(storedHash)
  if (!match) return true
  return Number(match[1]) < memoryCost || Number(match[2]) < timeCost || Number(match[3]) < parallelism
}
