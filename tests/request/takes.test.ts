import { describe, expect, it } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { headers } from '#contract/headers.ts'
import { takes } from '#request/pipeline/pipeline.ts'

const origin = 'https://portal.test'
const request = (method: string, path: string, given: Record<string, string> = {}) =>
  new Request(origin + path, { method, headers: given })
const example = (path: string) => path.replace(/:\w+/g, '1')

describe('the worker', () => {
  it('never touches passwords, tokens, keys, uploads or pictures (W-08)', () => {
    const touched = endpoints.filter(({ method, path }) => takes(request(method, example(path)), origin))
    const kept = touched.filter(
      ({ secret, encoding, responseType: answers }) => secret || encoding === 'multipart' || answers,
    )
    expect(kept.map(({ name }) => name)).toEqual([])
    expect(takes(request('POST', '/api/m18s/token'), origin)).toBe(false)
    expect(takes(request('GET', '/public/asset/0123456789'), origin)).toBe(false)
  })

  it('takes lists, readings and writes of ours', () => {
    expect(takes(request('GET', '/api/m18s/company/7/users?page=2'), origin)).toBe(true)
    expect(takes(request('GET', '/api/m18s/user'), origin)).toBe(true)
    expect(takes(request('PUT', '/api/m18s/company-user/4'), origin)).toBe(true)
  })

  it("leaves the request pipeline's own requests, other hosts and other paths alone (protocol 11)", () => {
    expect(takes(request('GET', '/api/m18s/user', { [headers.pipeline]: '1' }), origin)).toBe(false)
    expect(takes(new Request('https://elsewhere.test/api/m18s/user'), origin)).toBe(false)
    expect(takes(request('GET', '/saas/app/user'), origin)).toBe(false)
    expect(takes(request('PATCH', '/api/m18s/user'), origin)).toBe(false)
  })
})
