/**
 * The portal killed at random points of backups and restores: ten by night, as many as one likes by the campaign `backups`.
 */
import { expect, it } from 'vitest'
import { runKilledBackups } from '#tests/campaigns/backups.ts'
import { createRandom, suiteSeed } from '#tests/support/runner/random.ts'

const kills = 10

it('an archive is whole or not there, a service has the old data or the new, and bytes are counted once', async () => {
  const { reportFault: faults, outcomes } = await runKilledBackups(kills, createRandom(suiteSeed))
  expect(faults).toEqual([])
  expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(kills)
}, 300_000)
