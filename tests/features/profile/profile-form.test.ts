import { describe, expect, it } from 'vitest'
import { checkPasswords } from '#features/profile/form.ts'

const goodPassword = 'Slow-river-under-9-bridges'

describe("a new password's form", () => {
  it.each([
    [{ original: 'x', chosen: goodPassword, confirm: goodPassword }, []],
    [{ original: '', chosen: goodPassword, confirm: goodPassword }, ['original REQUIRED']],
    [{ original: 'x', chosen: '', confirm: '' }, ['chosen REQUIRED', 'confirm REQUIRED']],
    [{ original: 'x', chosen: goodPassword, confirm: '' }, ['confirm REQUIRED']],
    [{ original: 'x', chosen: goodPassword, confirm: `${goodPassword}!` }, ['confirm MISMATCH']],
    [{ original: 'x', chosen: 'short', confirm: 'short' }, ['chosen TOO_SHORT']],
  ])('%o', (formValues, expectedProblems) => {
    expect(checkPasswords(formValues).map(({ field, code }) => `${field} ${code}`)).toEqual(expectedProblems)
  })
})
