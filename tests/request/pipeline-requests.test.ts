import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { headers } from '#contract/headers.ts'
import { isPipelineRequest } from '#request/pipeline/pipeline.ts'

const origin = 'https://portal.test'
const buildRequest = (method: string, path: string, requestHeaders: Record<string, string> = {}) =>
  new Request(origin + path, { method, headers: requestHeaders })
const buildExamplePath = (path: string) => path.replace(/:\w+/g, '1')

describe('isPipelineRequest', () => {
  it('excludes passwords, tokens, keys, uploads and pictures (W-08)', () => {
    const pipelineEndpoints = endpoints.filter(({ method, path }) =>
      isPipelineRequest(buildRequest(method, buildExamplePath(path)), origin),
    )
    const forbiddenEndpoints = pipelineEndpoints.filter(
      ({ secret, encoding, responseType }) => secret || encoding === 'multipart' || responseType,
    )
    expect(forbiddenEndpoints.map(({ name }) => name)).toEqual([])
    expect(isPipelineRequest(buildRequest('POST', '/api/m18s/token'), origin)).toBe(false)
    expect(isPipelineRequest(buildRequest('GET', '/public/asset/0123456789'), origin)).toBe(false)
  })

  it('includes lists, reads and writes of the API', () => {
    expect(isPipelineRequest(buildRequest('GET', '/api/m18s/company/7/users?page=2'), origin)).toBe(true)
    expect(isPipelineRequest(buildRequest('GET', '/api/m18s/user'), origin)).toBe(true)
    expect(isPipelineRequest(buildRequest('PUT', '/api/m18s/company-user/4'), origin)).toBe(true)
  })

  it("excludes the request pipeline's own requests, other hosts and other paths (protocol 11)", () => {
    expect(isPipelineRequest(buildRequest('GET', '/api/m18s/user', { [headers.pipeline]: '1' }), origin)).toBe(false)
    expect(isPipelineRequest(new Request('https://elsewhere.test/api/m18s/user'), origin)).toBe(false)
    expect(isPipelineRequest(buildRequest('GET', '/saas/app/user'), origin)).toBe(false)
    expect(isPipelineRequest(buildRequest('PATCH', '/api/m18s/user'), origin)).toBe(false)
  })
})
