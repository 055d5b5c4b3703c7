import { describe, expect, it } from 'vitest'
import { createUser } from '#contract/users.ts'
import { endpoints } from '#contract/index.ts'
import { routeRequest } from '#request/pipeline/route-request.ts'

const origin = 'https://portal.test'
const plain = { method: 'GET', cache: 'default', mode: 'cors', headers: {} }
const way = (path: string, given: Partial<typeof plain> = {}, bypassed = false) => {
  const { headers, ...rest } = { ...plain, ...given }
  const asked = { ...rest, url: origin + path, headers: new Headers(headers) }
  return routeRequest(asked as Parameters<typeof routeRequest>[0], { origin, bypassed })
}
const example = (path: string) => path.replace(/:\w+/g, '1')

describe('what the worker does with a request', () => {
  it('is said at once, for every call there is', () => {
    const said = endpoints.map(({ method, path }) => way(example(path), { method }))
    expect(new Set(said)).toEqual(new Set(['pipeline', 'files']))
    expect(way(example(createUser.path), { method: 'POST' })).toBe('pipeline')
  })

  it('leaves uploads, secrets and pages to the browser or its own files (protocol 22, W-14)', () => {
    const uploads = endpoints.filter(({ encoding, secret }) => encoding === 'multipart' || secret)
    expect(uploads.length).toBeGreaterThan(3)
    for (const { method, path } of uploads) expect(way(example(path), { method })).toBe('files')
    expect(way('/saas/app/user', { mode: 'navigate' })).toBe('files')
  })

  it('takes no part in what it could only spoil: parts of files, and what developer tools ask of the cache', () => {
    expect(way('/saas/assets/a.js', { headers: { range: 'bytes=0-9' } })).toBe('through')
    expect(way('/api/m18s/user', { headers: { range: 'bytes=0-9' } })).toBe('through')
    expect(way('/saas/assets/a.js', { cache: 'only-if-cached', mode: 'no-cors' })).toBe('through')
    expect(way('/saas/assets/a.js', { cache: 'only-if-cached', mode: 'same-origin' })).toBe('files')
  })

  it('is nothing at all once the server wants no worker (W-11)', () => {
    for (const { method, path } of endpoints) expect(way(example(path), { method }, true)).toBe('through')
    expect(way('/saas/app/user', { mode: 'navigate' }, true)).toBe('through')
  })
})
