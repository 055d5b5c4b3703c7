import { expect, test } from 'vitest'
import { availableParallelism } from 'node:os'
import {
  hashPassword,
  withQueuePosition,
  isOutdatedHash,
  unknownCaller,
  verifyPassword,
} from '#server/use-cases/accounts/password-hash.ts'

const cost = { memoryCost: 4096, timeCost: 1, parallelism: 1 }
const verify = (hash: string | null, password: string) =>
  withQueuePosition(unknownCaller, (position) => verifyPassword(hash, password, { cost, position }))

test('The hash queue holds fifty anonymous requests and rejects further requests immediately (S-33, R-36)', async () => {
  // One slot is reserved for known callers.
  const maxWaiting = Math.max(2, availableParallelism()) - 1 + 50
  let hashCount = 0
  const hashCountsAtRefusal: number[] = []
  const hashRequests = Array.from({ length: maxWaiting + 20 }, () =>
    hashPassword('Quiet-harbour-27', cost).then(
      (hash) => {
        hashCount += 1
        return hash
      },
      (error: unknown) => {
        hashCountsAtRefusal.push(hashCount)
        return error
      },
    ),
  )
  const results = await Promise.all(hashRequests)
  expect(results.filter((result) => typeof result === 'string')).toHaveLength(maxWaiting)
  expect(results.filter((result) => result instanceof Error)).toMatchObject(
    Array.from({ length: 20 }, () => ({ code: 'RATE_LIMITED', retryAfterSeconds: 2 })),
  )
  // All refusals came before any hash was finished.
  expect(hashCountsAtRefusal).toEqual(Array.from({ length: 20 }, () => 0))
  // The queue is empty again and accepts as many requests as before.
  expect(await verify(String(results[0]), 'Quiet-harbour-27')).toBe(true)
})

test('The password of a missing account is checked like that of an existing account, and never matches (S-32)', async () => {
  expect(await verify(null, '')).toBe(false)
  expect(await verify(null, 'Quiet-harbour-27')).toBe(false)
})

test('The cost is read from the stored hash (S-26)', () => {
  const hash = '$argon2id$v=19$m=4096,t=1,p=1$c2FsdA$aGFzaA'
  expect(isOutdatedHash(hash, cost)).toBe(false)
  expect(isOutdatedHash(hash, { ...cost, memoryCost: 19_456 })).toBe(true)
  expect(isOutdatedHash(hash, { ...cost, timeCost: 2 })).toBe(true)
  expect(isOutdatedHash('$2b$12$other', cost)).toBe(true)
})
