import { describe, expect, it } from 'vitest'
import { draftFrom, emptySignup } from '#features/accounts/signup-draft.ts'

describe('a draft of the sign-up', () => {
  it('comes back with its words and without passwords', () => {
    const kept = {
      step: 'user',
      values: { code: 'nova', user_name: 'Ana', user_password: 'secret', confirmPwd: 'secret' },
    }
    expect(draftFrom(kept)).toEqual({
      step: 'user',
      values: { ...emptySignup.values, code: 'nova', user_name: 'Ana' },
    })
  })

  it.each([null, 7, 'x', {}, { step: 'nowhere', values: null }, { values: { code: 7, other: 'x' } }])(
    'of another build or of nobody, %o, is an empty one',
    (kept) => expect(draftFrom(kept)).toEqual(emptySignup),
  )
})
