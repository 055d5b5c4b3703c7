import { expect, it } from 'vitest'
import { dieEverywhere, shareOf } from '#tests/models/crashes.ts'

it.each(shareOf(4))('killed at any step: $name', async (short) => {
  expect(await dieEverywhere(short)).toBeGreaterThan(5)
})
