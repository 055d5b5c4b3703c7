import { expect, it } from 'vitest'
import { getSessionAge } from '#features/sessions/useLastUse.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

it('The age of a session is given in its largest full unit, and as a date after 30 days', () => {
  const ages = [-5000, 0, minuteMs - 1, minuteMs, 4.9 * minuteMs, hourMs, dayMs - 1, dayMs, 30.5 * dayMs, 31 * dayMs]
  expect(ages.map(getSessionAge)).toEqual([
    { kind: 'now' },
    { kind: 'now' },
    { kind: 'now' },
    { kind: 'minutes', count: 1 },
    { kind: 'minutes', count: 4 },
    { kind: 'hours', count: 1 },
    { kind: 'hours', count: 23 },
    { kind: 'days', count: 1 },
    { kind: 'days', count: 30 },
    { kind: 'date' },
  ])
})
