import { describe, expect, it } from 'vitest'
import problem from '#locales/en/problem.json' with { type: 'json' }
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { readActivationLink } from '#features/accounts/activation.ts'
import { checkPasswords } from '#features/accounts/passwords.ts'

i18n.addResourceBundle('en', 'problem', problem)

/** Returns the message for a used link, else the kind of the link's state. */
function readLinkMessage(query: string): string {
  const { linkState: link } = readQuery(query)
  return link.kind === 'used up' ? formatProblem(link.problem) : link.kind
}
const readQuery = (query: string) => readActivationLink(new URLSearchParams(query))

describe('reading an activation address (portal 2, 8)', () => {
  it.each(['otk=abc', 'otk=abc&code=OK', 'otk=abc&code=SET_PASSWORD'])(
    'leaves the check of a link with a key to the server: %s',
    (query) => expect(readQuery(query)).toEqual({ otk: 'abc', linkState: { kind: 'unknown' } }),
  )

  it('reports a successful activation', () => expect(readQuery('code=ACTIVATE_OK').linkState).toEqual({ kind: 'done' }))

  it('reports NO_ACTIVATE_KEY without a key', () =>
    expect(readQuery('').linkState).toMatchObject({ problem: { code: 'NO_ACTIVATE_KEY' } }))

  it('reports the code of the address even if there is a key', () => {
    expect(readQuery('otk=abc&code=INVALID_ACTIVATE_KEY').linkState).toMatchObject({
      problem: { code: 'INVALID_ACTIVATE_KEY' },
    })
  })

  it.each([
    ['code=INVALID_ACTIVATE_KEY&message=ours+counts', 'Activate key is invalid or overdue.'],
    ['code=ODD&message=Ask+us', 'Ask us'],
    ['message=Ask+us', 'Ask us'],
    ['code=&message=Ask+us', 'Ask us'],
    ['code=ODD', 'ODD'],
    ['code=', 'Error Found'],
    ['', 'No activate key provided.'],
  ])(
    "shows the portal's message for the code, else the message of the address, else the code: %s",
    (query, expectedText) => expect(readLinkMessage(query)).toBe(expectedText),
  )

  it('shortens an overlong key, and leaves its check to the server', () =>
    expect(readQuery(`otk=${'x'.repeat(5000)}`)).toEqual({ otk: 'x'.repeat(100), linkState: { kind: 'unknown' } }))

  it('shortens the message of the address to 200 characters', () => {
    const { linkState: link } = readQuery(`code=ODD&message=${'x'.repeat(5000)}`)
    expect(link.kind === 'used up' && link.problem.message.length).toBe(200)
  })
})

describe('checking a new password (portal 5, S-27)', () => {
  it.each([
    [{ password: '', confirm: '' }, [{ field: 'password', code: 'REQUIRED' }]],
    [{ password: 'seven77', confirm: 'seven77' }, [{ field: 'password', code: 'TOO_SHORT', limit: 8 }]],
    [{ password: 'x'.repeat(129), confirm: '' }, [{ field: 'password', code: 'TOO_LONG', limit: 128 }]],
    [{ password: 'long enough', confirm: '' }, [{ field: 'confirm', code: 'REQUIRED' }]],
    [{ password: 'long enough', confirm: 'long enough ' }, [{ field: 'confirm', code: 'MISMATCH' }]],
    [{ password: ' long enough ', confirm: ' long enough ' }, []],
    [{ password: '🔑🔑🔑🔑🔑🔑🔑🔑', confirm: '🔑🔑🔑🔑🔑🔑🔑🔑' }, []],
  ])('returns the problems of %o', (passwords, expectedProblems) =>
    expect(checkPasswords(passwords)).toEqual(expectedProblems),
  )
})
