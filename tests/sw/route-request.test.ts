import { describe, expect, it } from 'vitest'
import { createUser } from '#contract/users.ts'
import { endpoints } from '#contract/index.ts'
import { routeRequest } from '#request/pipeline/route-request.ts'

const origin = 'https://portal.test'
const plainRequest = { method: 'GET', cache: 'default', mode: 'cors', headers: {} }
const findRoute = (path: string, fields: Partial<typeof plainRequest> = {}, isBypassed = false) => {
  const { headers, ...rest } = { ...plainRequest, ...fields }
  const request = { ...rest, url: origin + path, headers: new Headers(headers) }
  return routeRequest(request as Parameters<typeof routeRequest>[0], { origin, isBypassed })
}
const buildExamplePath = (path: string) => path.replace(/:\w+/g, '1')

describe("the worker's route of a request", () => {
  it('is "pipeline" or "files" for every endpoint', () => {
    const routes = endpoints.map(({ method, path }) => findRoute(buildExamplePath(path), { method }))
    expect(new Set(routes)).toEqual(new Set(['pipeline', 'files']))
    expect(findRoute(buildExamplePath(createUser.path), { method: 'POST' })).toBe('pipeline')
  })

  it("leaves uploads, secrets and pages to the browser or the worker's files (protocol 22, W-14)", () => {
    const uploads = endpoints.filter(({ encoding, secret }) => encoding === 'multipart' || secret)
    expect(uploads.length).toBeGreaterThan(3)
    for (const { method, path } of uploads) expect(findRoute(buildExamplePath(path), { method })).toBe('files')
    expect(findRoute('/saas/app/user', { mode: 'navigate' })).toBe('files')
  })

  it('passes range requests and the cache requests of developer tools through', () => {
    expect(findRoute('/saas/assets/a.js', { headers: { range: 'bytes=0-9' } })).toBe('through')
    expect(findRoute('/api/m18s/user', { headers: { range: 'bytes=0-9' } })).toBe('through')
    expect(findRoute('/saas/assets/a.js', { cache: 'only-if-cached', mode: 'no-cors' })).toBe('through')
    expect(findRoute('/saas/assets/a.js', { cache: 'only-if-cached', mode: 'same-origin' })).toBe('files')
  })

  it('passes everything through once the server has switched the worker off (W-11)', () => {
    for (const { method, path } of endpoints)
      expect(findRoute(buildExamplePath(path), { method }, true)).toBe('through')
    expect(findRoute('/saas/app/user', { mode: 'navigate' }, true)).toBe('through')
  })
})
