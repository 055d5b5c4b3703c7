import { expect, it } from 'vitest'
import { dieEverywhere, fewShorts } from '#tests/outbox-model/crashes.ts'
import { byDay } from '#tests/support/runner/nightly.ts'

/** The first, with the line up, has the most steps, and its writes meet nothing that the others do not: it is for the night. */
const histories = byDay(fewShorts.toReversed(), 5)

it.each(histories)('keeps every promise when it is killed at any step: $name (F-13)', async (short) => {
  expect(await dieEverywhere(short)).toBeGreaterThan(5)
})
