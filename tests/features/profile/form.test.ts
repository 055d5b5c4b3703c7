import { describe, expect, it } from 'vitest'
import { checkPasswords } from '#features/profile/form.ts'

const good = 'Slow-river-under-9-bridges'

describe("a new password's form", () => {
  it.each([
    [{ original: 'x', chosen: good, confirm: good }, []],
    [{ original: '', chosen: good, confirm: good }, ['original REQUIRED']],
    [{ original: 'x', chosen: '', confirm: '' }, ['chosen REQUIRED', 'confirm REQUIRED']],
    [{ original: 'x', chosen: good, confirm: '' }, ['confirm REQUIRED']],
    [{ original: 'x', chosen: good, confirm: `${good}!` }, ['confirm MISMATCH']],
    [{ original: 'x', chosen: 'short', confirm: 'short' }, ['chosen TOO_SHORT']],
  ])('%o', (typed, wrong) => {
    expect(checkPasswords(typed).map(({ field, code }) => `${field} ${code}`)).toEqual(wrong)
  })
})
