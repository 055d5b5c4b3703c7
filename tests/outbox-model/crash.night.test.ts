import { expect, it } from 'vitest'
import { killAtEveryStep, selectedHistories } from '#tests/outbox-model/crashes.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'

/** The first history has a connection and the most steps, but its writes cover nothing that the others do not. So it runs at night only. */
const histories = limitByDay(selectedHistories.toReversed(), 5)

it.each(histories)('The outbox keeps every promise if it is killed at any step: $name (F-13)', async (history) => {
  expect(await killAtEveryStep(history)).toBeGreaterThan(5)
})
