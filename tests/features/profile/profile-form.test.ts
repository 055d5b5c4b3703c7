import { describe, expect, it } from 'vitest'
import { checkPasswords } from '#features/profile/form.ts'

const goodPassword = 'Slow-river-under-9-bridges'

describe('checkPasswords', () => {
  it.each([
    [{ original: 'x', newPassword: goodPassword, confirm: goodPassword }, []],
    [{ original: '', newPassword: goodPassword, confirm: goodPassword }, ['original REQUIRED']],
    [{ original: 'x', newPassword: '', confirm: '' }, ['newPassword REQUIRED', 'confirm REQUIRED']],
    [{ original: 'x', newPassword: goodPassword, confirm: '' }, ['confirm REQUIRED']],
    [{ original: 'x', newPassword: goodPassword, confirm: `${goodPassword}!` }, ['confirm MISMATCH']],
    [{ original: 'x', newPassword: 'short', confirm: 'short' }, ['newPassword TOO_SHORT']],
  ])('returns the problems of %o', (formValues, expectedProblems) => {
    expect(checkPasswords(formValues).map(({ field, code }) => `${field} ${code}`)).toEqual(expectedProblems)
  })
})
