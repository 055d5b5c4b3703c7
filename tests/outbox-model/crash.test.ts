import { expect, it } from 'vitest'
import { dieEverywhere, fewShorts } from '#tests/outbox-model/crashes.ts'

it.each(fewShorts)('keeps every promise when it is killed at any step: $name (F-13)', async (short) => {
  expect(await dieEverywhere(short)).toBeGreaterThan(5)
})
