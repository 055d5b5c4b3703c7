/**
 * Kills the portal at random points of operations on hosted services: ten times by night, and any number of times in the campaign
 * `services`.
 */
import { expect, it } from 'vitest'
import { runKilledOperations } from '#tests/campaigns/services.ts'
import { createRandom, suiteSeed } from '#tests/support/runner/random.ts'

const kills = 10

it('After kills, each operation ends in a known state, nothing runs twice and no process remains', async () => {
  const { faults, outcomes } = await runKilledOperations(kills, createRandom(suiteSeed))
  expect(faults).toEqual([])
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(kills)
}, 300_000)
