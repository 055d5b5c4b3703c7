import { describe, expect, it } from 'vitest'
import { type Problem, getRetrySeconds } from '#contract/problem.ts'
import { toRetryDelay } from '#features/accounts/retry-after.ts'

const createRateLimit = (data: unknown): Problem => ({
  status: 429,
  code: 'RATE_LIMITED',
  message: '',
  data,
  requestId: null,
})

describe('the waiting time after too many attempts', () => {
  it.each([
    [{ retry_after: 30 }, 30],
    [{ retry_after: 1.2 }, 2],
    [{ retry_after: 0 }, null],
    [{ retry_after: 'soon' }, null],
    [{}, null],
    [null, null],
  ])('is read from the response: %o', (data, seconds) => expect(getRetrySeconds(createRateLimit(data))).toBe(seconds))

  it('is null for any other problem', () => {
    expect(getRetrySeconds({ ...createRateLimit({ retry_after: 30 }), code: 'invalid_grant' })).toBeNull()
    expect(getRetrySeconds(null)).toBeNull()
  })

  it.each([
    [1, 'Seconds', 1],
    [90, 'Seconds', 90],
    [91, 'Minutes', 2],
    [600, 'Minutes', 10],
  ])('is shown for %i s as %s %i', (seconds, unit, count) => expect(toRetryDelay(seconds)).toEqual({ unit, count }))
})
