import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toAdminUrl, checkServiceCode } from '#domain/checks/service-code.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { startServer, type TestServer } from '#tests/support/server/server.ts'

describe('GET /public/service/url', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({ settings: { queriesPerMinute: 1000 } })
    const times = { create_time: 1, update_time: 1 }
    const services = [
      {
        code: 'alpha1',
        name: 'Alpha',
        url: 'https://www.alpha1.m18.example/',
        company_id: server.world.companies.alpha,
      },
      { code: 'beta', name: 'Beta', url: 'https://beta.example/x?y', company_id: server.world.companies.beta },
      {
        code: 'own',
        name: 'Own',
        url: 'https://www.own.example',
        admin_url: 'https://control.own.example',
        company_id: 1,
      },
      { code: 'planned', name: 'Not running', url: null, company_id: server.world.companies.beta },
    ]
    await runInTransaction(server.app, { role: 'portal_system' }, async (db) => {
      for (const service of services) await insertService(db, { ...times, ...service })
    })
  }, 90_000)
  afterAll(() => server.close())

  const findService = (code: string) => server.send({ url: `/public/service/url?code=${encodeURIComponent(code)}` })

  test('returns the addresses of a service and its admin site to anybody (M9, M58)', async () => {
    expect((await findService('alpha1')).json()).toEqual({
      url: 'https://www.alpha1.m18.example/',
      admin_url: 'https://admin.alpha1.m18.example/',
    })
    expect((await findService('beta')).json()).toEqual({
      url: 'https://beta.example/x?y',
      admin_url: null,
    })
    expect((await findService('own')).json().admin_url).toBe('https://control.own.example')
  })

  test('returns the same 404 for an unknown service and a service that does not run yet', async () => {
    const [missingResponse, plannedResponse] = [await findService('nosuch'), await findService('planned')]
    expect([missingResponse.statusCode, missingResponse.json().errorCode]).toEqual([404, 'NOT_FOUND'])
    expect(plannedResponse.json()).toEqual(missingResponse.json())
  })

  test('rejects the same codes as the form (portal 5, D70)', async () => {
    const codes: [code: string, problem: string | null][] = [
      ['', 'REQUIRED'],
      ['ab', 'INVALID_FORMAT'],
      ['abc', null],
      ['a'.repeat(16), null],
      ['a'.repeat(17), 'INVALID_FORMAT'],
      ['1abc', 'INVALID_FORMAT'],
      ['a1b2', null],
      ['Abc', 'INVALID_FORMAT'],
      ['ab-c', 'INVALID_FORMAT'],
      ['ab c', 'INVALID_FORMAT'],
      ['中文字', 'INVALID_FORMAT'],
      ['select', 'RESERVED'],
      ['SELECT', 'RESERVED'],
      ['selects', null],
      ['verbose', 'RESERVED'],
      ['m18', 'RESERVED'],
      ['m180', null],
      ['administrator', 'RESERVED'],
      ['mysql', 'RESERVED'],
      ['www', 'RESERVED'],
      ['api', 'RESERVED'],
      ['mail', 'RESERVED'],
    ]
    for (const [code, problem] of codes) {
      const response = await findService(code)
      const [firstProblem] = response.json().data ?? []
      const expectedCode = code.length > 16 ? 'TOO_LONG' : problem
      expect([code, checkServiceCode('code', code)?.code ?? null]).toEqual([code, problem])
      expect([code, response.statusCode, firstProblem?.code ?? null]).toEqual([code, problem ? 400 : 404, expectedCode])
      if (problem === 'RESERVED') expect(firstProblem.message).toBe(`"${code}" is reserved by system`)
    }
  })

  test('limits the number of requests (D57)', async () => {
    const strictServer = await startServer({ settings: { queriesPerMinute: 3 } })
    const sendQuery = () => strictServer.send({ url: '/public/service/url?code=nosuch' })
    const responses = [await sendQuery(), await sendQuery(), await sendQuery(), await sendQuery()]
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 429])
    await strictServer.close()
  }, 90_000)
})

test('toAdminUrl replaces www only at the start of the host (portal 9)', () => {
  const cases = {
    'https://www.a.example/': 'https://admin.a.example/',
    'http://WWW.a.example:8443/www.x': 'http://admin.a.example:8443/www.x',
    'https://a.www.example/': null,
    'https://wwwa.example/': null,
  }
  for (const [url, admin] of Object.entries(cases)) expect(toAdminUrl(url)).toBe(admin)
})
