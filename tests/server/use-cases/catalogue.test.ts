/**
 * Every code of the specification's catalogue is what the server says, in both languages: asked for by a request that deserves
 * it (portal 8). Codes of calls that are not built yet stand in `later`, with a call by whose coming they are due.
 */
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { handlersOf } from '#server/composition/app.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { inTransaction } from '#server/db/transaction.ts'
import en from '#locales/en/problem.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }
import enServices from '#locales/en/services.json' with { type: 'json' }
import zhServices from '#locales/zh/services.json' with { type: 'json' }
import { catalogue } from '#tests/contract/specified.ts'
import { keyIn, mailBox } from '#tests/support/server/mailed.ts'
import { grant, startServer, type TestServer, usernameOf } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

type Code = keyof typeof catalogue

const later: Partial<Record<Code, string>> = {}

const chosen = 'Slow-river-under-9-bridges'
const languages = { en: 'en', zh: 'zh-CN,zh;q=0.9' } as const
type Ask = (headers: Record<string, string>) => Promise<LightMyRequestResponse>

describe('the catalogue of errors', () => {
  let server: TestServer
  const box = mailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const signIn =
    (who: string, given: string): Ask =>
    (headers) =>
      grant(server.fastify, { grant_type: 'password', username: usernameOf(who), password: given }, headers)
  const post =
    (url: string, payload: object): Ask =>
    (headers) =>
      server.send({ method: 'POST', url, payload, headers })
  const as =
    (who: string, method: 'POST' | 'DELETE', url: (ids: Record<string, number>) => string, payload?: object): Ask =>
    async (headers) => {
      const { send } = await server.signIn(who)
      return send({ method, url: url(server.world.users), headers, ...(payload ? { payload } : {}) })
    }
  const change = (orgPwd: string, newPwd: string) =>
    as('user@alpha', 'POST', () => '/api/m18s/password', { orgPwd, newPwd })
  const taken = { title: 0, name: 'Twin', email: 'user@alpha.example' }

  /** Activates by the link of a mail that an admin has sent. */
  const activate: Ask = async (headers) => {
    await as('admin@alpha', 'POST', (ids) => `/api/users/activatemail/${ids['waiting@alpha']}`)({})
    const otk = (await box.fetch()).map(keyIn).find(Boolean)
    return post('/public/users/activate', { otk, password: chosen })(headers)
  }

  /** Asked for and not worked off: the first reboot holds the service. */
  const rebootTwice: Ask = async (headers) => {
    const company_id = server.world.companies.alpha
    const now = { create_time: 1, update_time: 1 }
    const id = await inTransaction(server.app, { role: 'portal_system' }, (db) =>
      insertService(db, { company_id, code: 'busy1', name: 'Busy', system_status: 2, ...now }),
    )
    await as('order@alpha', 'POST', () => `/api/aws/reboot/${id}`)({})
    return as('second@alpha', 'POST', () => `/api/aws/reboot/${id}`)(headers)
  }

  /** Of a portal that hosts nothing. */
  const hostingNothing: Ask = async (headers) => {
    const { config } = server.app
    const { hosting } = config
    Object.assign(config, { hosting: 'off' })
    try {
      return await as('order@alpha', 'POST', () => '/api/pdb/backup', { service_id: 1, pdb_type: 'pdb2s3' })(headers)
    } finally {
      Object.assign(config, { hosting })
    }
  }

  const ways: Record<Code, Ask | null> = {
    invalid_grant: signIn('user@alpha', 'Not-the-one-44'),
    PASSWORD_UNCHANGE: change(password, password),
    INVALID_ORG_PASSWORD: change('Not-the-one-44', chosen),
    NOT_SUPPORT: hostingNothing,
    RESOURCE_LOCKED: rebootTwice,
    USER_STATUS_DEACTIVATED: signIn('waiting@alpha', password),
    USER_STATUS_INVALID: signIn('disabled@alpha', password),
    DUP_USER: as('admin@alpha', 'POST', () => '/api/m18s/user', taken),
    USER_NOT_EXIST: as('admin@alpha', 'DELETE', (ids) => `/api/m18s/user/${ids['user@beta']}`),
    NO_ACTIVATE_KEY: post('/public/users/activate', { password: chosen }),
    INVALID_ACTIVATE_KEY: post('/public/users/activate', { otk: 'x'.repeat(43), password: chosen }),
    ACTIVATE_OK: activate,
    INVALID_RESETPWD_LINK: post('/public/password/reset', { otk: 'x'.repeat(43), pwd: chosen }),
  }

  const services = { en: enServices, zh: zhServices }
  const words = { en: en as Record<string, string>, zh: zh as Record<string, string> }

  test.each(Object.entries(catalogue))('%s has its words, in English to the letter', (code, said) => {
    expect(words.en[code]).toBe(said)
    expect(words.zh[code]).toMatch(/\p{Script=Han}/u)
  })

  const asked = Object.entries(ways).flatMap(([code, ask]) => (ask ? [[code as Code, ask] as const] : []))
  describe.each(asked)('%s', (code, ask) => {
    test.each(['en', 'zh'] as const)('is said in %s', async (language) => {
      const answer = await ask({ 'accept-language': languages[language] })
      const said = answer.json()
      if (code === 'ACTIVATE_OK') return expect([answer.statusCode, said]).toEqual([200, { code }])
      const values: Record<string, string> = {
        user: 'ALPHA-7f3a91 order',
        action: services[language].locked['reboot-service'] ?? '',
      }
      const sentence = words[language][code]?.replace(/{{(\w+)}}/g, (_, name: string) => values[name] ?? '')
      expect([said.errorCode, said.errorMessage]).toEqual([code, sentence])
      expect(answer.statusCode).toBeGreaterThanOrEqual(400)
    })
  })

  test('what is left for later is exactly what nothing that is built can say', () => {
    expect(Object.keys(later).toSorted()).toEqual(
      Object.entries(ways)
        .filter(([, ask]) => ask === null)
        .map(([code]) => code)
        .toSorted(),
    )
    const built = new Set(handlersOf({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint.name))
    for (const [code, name] of Object.entries(later)) {
      expect(endpoints.map((endpoint) => endpoint.name)).toContain(name)
      // Built: write the way in which it says so, and take it off the list.
      expect([code, built.has(name)]).toEqual([code, false])
    }
  })
})
