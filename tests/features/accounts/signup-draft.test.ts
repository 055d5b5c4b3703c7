import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parseDraft, emptySignup, storeDraft, readDrafts } from '#features/accounts/signup-draft.ts'

describe('parseDraft', () => {
  it('returns the values without passwords', () => {
    const storedDraft = {
      step: 'user',
      values: { code: 'nova', user_name: 'Ana', user_password: 'secret', confirmPwd: 'secret' },
    }
    expect(parseDraft(storedDraft)).toEqual({
      step: 'user',
      values: { ...emptySignup.values, code: 'nova', user_name: 'Ana' },
    })
  })

  it.each([null, 7, 'x', {}, { step: 'nowhere', values: null }, { values: { code: 7, other: 'x' } }])(
    'returns an empty draft for an unknown format: %o',
    (storedDraft) => expect(parseDraft(storedDraft)).toEqual(emptySignup),
  )
})

describe('the draft of a sign-up in this tab (fault 4c)', () => {
  const draft = { step: 'company' as const, values: { ...emptySignup.values, code: 'nova' } }
  beforeEach(() => {
    const storedItems = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => storedItems.get(name) ?? null,
      setItem: (name: string, text: string) => storedItems.set(name, text),
      removeItem: (name: string) => storedItems.delete(name),
    })
  })
  afterEach(() => void vi.unstubAllGlobals())
  const dayMs = 86_400_000

  it('is restored on the same day, and offered on a later day', () => {
    storeDraft(draft)
    expect(readDrafts()).toEqual({ draft, earlierDraft: null })
    const laterDrafts = readDrafts(Date.now() + dayMs)
    expect(laterDrafts.draft).toEqual(emptySignup)
    expect(laterDrafts.earlierDraft).toMatchObject({ draft, storedAt: expect.any(Number) })
    // The earlier draft is offered until it is used or discarded.
    expect(readDrafts().earlierDraft).toMatchObject({ draft })
  })

  it('is not offered if nothing was typed or everything was sent', () => {
    for (const unsavedDraft of [emptySignup, { ...draft, step: 'sent' as const }]) {
      storeDraft(unsavedDraft)
      expect(readDrafts(Date.now() + dayMs)).toEqual({ draft: emptySignup, earlierDraft: null })
    }
  })
})
