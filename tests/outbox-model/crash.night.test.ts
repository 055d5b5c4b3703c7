import { expect, it } from 'vitest'
import { killAtEveryStep, selectedHistories } from '#tests/outbox-model/crashes.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'

/** The first, with the line up, has the most steps, and its writes meet nothing that the others do not: it is for the night. */
const histories = limitByDay(selectedHistories.toReversed(), 5)

it.each(histories)('keeps every promise when it is killed at any step: $name (F-13)', async (history) => {
  expect(await killAtEveryStep(history)).toBeGreaterThan(5)
})
