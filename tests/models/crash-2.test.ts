import { expect, it } from 'vitest'
import { dieEverywhere, shorts } from '#tests/models/crashes.ts'

/** Every sixth; all of them: `npm run campaign -- outbox-model`. */
const mine = shorts.filter((_, at) => at % 6 === 3)

it.each(mine)('killed at any step: $name', async (short) => {
  expect(await dieEverywhere(short)).toBeGreaterThan(5)
})
