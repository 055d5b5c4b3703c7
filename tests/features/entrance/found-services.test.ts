import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Found, keepFound, readFound, withFound, withoutCode } from '#features/entrance/found-services.ts'

const kept = new Map<string, string>()
beforeEach(() => {
  kept.clear()
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
  })
})
afterEach(() => vi.unstubAllGlobals())

const found = (code: string, more: Partial<Found> = {}): Found => ({
  code,
  url: `https://${code}.example/`,
  adminUrl: `https://admin.${code}.example/`,
  at: 1,
  ...more,
})

it('the last five codes are kept, the latest first, each once', () => {
  const all = ['one', 'two', 'three', 'four', 'two', 'five', 'six'].reduce<Found[]>(
    (before, code) => withFound(before, found(code)),
    [],
  )
  expect(all.map(({ code }) => code)).toEqual(['six', 'five', 'two', 'four', 'three'])
  keepFound(all)
  expect(readFound()).toEqual(all)
  expect(withoutCode(all, 'two').map(({ code }) => code)).toEqual(['six', 'five', 'four', 'three'])
})

it('what somebody else put there is not believed: no script for an address, no shape of its own', () => {
  const odd = [found('a', { url: 'javascript:alert(1)' }), { code: 'b' }, null, 7, found('fine')]
  kept.set('portal.entrance', JSON.stringify(odd))
  expect(readFound().map(({ code }) => code)).toEqual(['fine'])
  for (const text of ['', '{', '{}', 'null']) {
    kept.set('portal.entrance', text)
    expect(readFound()).toEqual([])
  }
})

it('without storage nothing is remembered, and nothing fails', () => {
  vi.stubGlobal('localStorage', undefined)
  expect(readFound()).toEqual([])
  keepFound([found('a')])
})
