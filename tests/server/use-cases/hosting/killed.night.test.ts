/**
 * The portal killed at random points of operations on hosted services: ten by night, as many as one likes by the campaign `services`.
 */
import { expect, it } from 'vitest'
import { runKilledOperations } from '#tests/campaigns/services.ts'
import { createRandom, suiteSeed } from '#tests/support/runner/random.ts'

const kills = 10

it('each operation ends in a state that is said, nothing runs twice, and nothing is left behind', async () => {
  const { faults, outcomes } = await runKilledOperations(kills, createRandom(suiteSeed))
  expect(faults).toEqual([])
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(kills)
}, 300_000)
