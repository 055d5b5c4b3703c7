import { expect, it } from 'vitest'
import { killAtEveryStep, selectedHistories } from '#tests/outbox-model/crashes.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'

/**
 * Histories of the test; by day only five of them. The one with a connection has the most steps, but its writes test nothing that the
 * others do not. So it is the last one, and runs only at night.
 */
const histories = limitByDay(selectedHistories.toReversed(), 5)

it.each(histories)(
  'The outbox breaks no rule of the protocol if the browser is killed at any step: $name (F-13)',
  async (history) => {
    expect(await killAtEveryStep(history)).toBeGreaterThan(5)
  },
)
