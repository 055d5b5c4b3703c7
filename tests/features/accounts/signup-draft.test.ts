import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { draftFrom, emptySignup, keepDraft, readDrafts } from '#features/accounts/signup-draft.ts'

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

describe('fault 4c a sign-up that was begun in this tab', () => {
  const typed = { step: 'company' as const, values: { ...emptySignup.values, code: 'nova' } }
  beforeEach(() => {
    const stored = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, text: string) => stored.set(name, text),
      removeItem: (name: string) => stored.delete(name),
    })
  })
  afterEach(() => void vi.unstubAllGlobals())
  const dayMs = 86_400_000

  it('comes back by itself on the same day, and is offered on a later one', () => {
    keepDraft(typed)
    expect(readDrafts()).toEqual({ draft: typed, earlier: null })
    const later = readDrafts(Date.now() + dayMs)
    expect(later.draft).toEqual(emptySignup)
    expect(later.earlier).toMatchObject({ draft: typed, at: expect.any(Number) })
    // It stays offered until it is taken or discarded.
    expect(readDrafts().earlier).toMatchObject({ draft: typed })
  })

  it('offers nothing where nothing was typed, or all was sent', () => {
    for (const draft of [emptySignup, { ...typed, step: 'sent' as const }]) {
      keepDraft(draft)
      expect(readDrafts(Date.now() + dayMs)).toEqual({ draft: emptySignup, earlier: null })
    }
  })
})
