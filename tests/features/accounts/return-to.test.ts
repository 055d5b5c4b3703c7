import { describe, expect, it } from 'vitest'
import { homePath, toReturnPath } from '#features/accounts/return-to.ts'

describe('toReturnPath (S-67)', () => {
  it.each(['/app/user', '/app/user?page=2&statusType=0', '/app/contract/12#top', '/app'])(
    'returns a path of the app: %s',
    (path) => expect(toReturnPath(path)).toBe(path),
  )

  it.each([
    null,
    '',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/app/\n/evil',
    'https://evil.example/app/user',
    'javascript:alert(1)',
    'app/user',
    '/login',
    '/logout',
    '/appendix',
    '/app/../logout',
    '/app/..%2f..%2flogout/../../logout',
  ])('returns the home page for anything else: %s', (path) => expect(toReturnPath(path)).toBe(homePath))

  it('stays inside the app if the path is encoded', () => {
    const returnPath = toReturnPath('/app/%2e%2e/logout')
    expect(new URL(returnPath, 'https://own.example').pathname.startsWith('/app')).toBe(true)
  })
})
