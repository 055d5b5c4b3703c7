/** Kills the portal at random points of backups and restores: ten times by night, and any number of times in the campaign `backups`. */
import { expect, it } from 'vitest'
import { runKilledBackups } from '#tests/campaigns/backups.ts'
import { createRandom, suiteSeed } from '#tests/support/runner/random.ts'

const kills = 10

it('After kills, archives are complete or absent, data is old or new, and bytes are counted once', async () => {
  const { reportFault: faults, outcomes } = await runKilledBackups(kills, createRandom(suiteSeed))
  expect(faults).toEqual([])
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(kills)
}, 300_000)
