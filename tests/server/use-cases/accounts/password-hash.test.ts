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

test('fifty strangers may wait for a hash; whoever comes then is told at once to come again (S-33, R-36)', async () => {
  // One is kept for whom we know.
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
  // Before anybody's turn came.
  expect(hashCountsAtRefusal).toEqual(Array.from({ length: 20 }, () => 0))
  // The queue is empty again, and as long as before.
  expect(await verify(String(results[0]), 'Quiet-harbour-27')).toBe(true)
})

test('no account at all is verified like one, and never fits (S-32)', async () => {
  expect(await verify(null, '')).toBe(false)
  expect(await verify(null, 'Quiet-harbour-27')).toBe(false)
})

test('the cost is read from the hash itself (S-26)', () => {
  const hash = '$argon2id$v=19$m=4096,t=1,p=1$c2FsdA$aGFzaA'
  expect(isOutdatedHash(hash, cost)).toBe(false)
  expect(isOutdatedHash(hash, { ...cost, memoryCost: 19_456 })).toBe(true)
  expect(isOutdatedHash(hash, { ...cost, timeCost: 2 })).toBe(true)
  expect(isOutdatedHash('$2b$12$other', cost)).toBe(true)
})
