/**
 * Tests that each error code of the specified catalogue is returned with its specified message in both languages, by a request that causes
 * it (portal 8). Codes of calls that are not built yet are in `unbuiltCodes`, with the call that will return them.
 */
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { endpoints } from '#contract/index.ts'
import { createHandlers } from '#server/composition/app.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import en from '#locales/en/problem.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }
import enServices from '#locales/en/services.json' with { type: 'json' }
import zhServices from '#locales/zh/services.json' with { type: 'json' }
import { messageCatalogue } from '#tests/contract/specified.ts'
import { readKey, createMailBox } from '#tests/support/server/mail-box.ts'
import { requestToken, startServer, type TestServer, buildUsername } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'

type Code = keyof typeof messageCatalogue

const unbuiltCodes: Partial<Record<Code, string>> = {}

const newPassword = 'Slow-river-under-9-bridges'
const languages = { en: 'en', zh: 'zh-CN,zh;q=0.9' } as const
type LocalizedRequest = (headers: Record<string, string>) => Promise<LightMyRequestResponse>

describe('the message catalogue of the errors', () => {
  let server: TestServer
  const mailBox = createMailBox(() => server.app)
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())
  beforeEach(() => server.reset())

  const signIn =
    (userName: string, givenPassword: string): LocalizedRequest =>
    (headers) =>
      requestToken(
        server.fastify,
        { grant_type: 'password', username: buildUsername(userName), password: givenPassword },
        headers,
      )
  const post =
    (url: string, payload: object): LocalizedRequest =>
    (headers) =>
      server.send({ method: 'POST', url, payload, headers })
  const postAs =
    (
      userName: string,
      method: 'POST' | 'DELETE',
      url: (ids: Record<string, number>) => string,
      payload?: object,
    ): LocalizedRequest =>
    async (headers) => {
      const { send } = await server.signIn(userName)
      return send({ method, url: url(server.world.users), headers, ...(payload ? { payload } : {}) })
    }
  const change = (orgPwd: string, newPwd: string) =>
    postAs('user@alpha', 'POST', () => '/api/m18s/password', { orgPwd, newPwd })
  const duplicateUser = { title: 0, name: 'Twin', email: 'user@alpha.example' }

  /** Activates an account with the link of a mail that an admin has sent. */
  const activate: LocalizedRequest = async (headers) => {
    await postAs('admin@alpha', 'POST', (ids) => `/api/users/activatemail/${ids['waiting@alpha']}`)({})
    const otk = (await mailBox.fetch()).map(readKey).find(Boolean)
    return post('/public/users/activate', { otk, password: newPassword })(headers)
  }

  /** The first reboot is requested but not run, so it locks the service. */
  const rebootTwice: LocalizedRequest = async (headers) => {
    const company_id = server.world.companies.alpha
    const times = { create_time: 1, update_time: 1 }
    const id = await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
      insertService(db, { company_id, code: 'busy1', name: 'Busy', system_status: 2, ...times }),
    )
    await postAs('order@alpha', 'POST', () => `/api/aws/reboot/${id}`)({})
    return postAs('second@alpha', 'POST', () => `/api/aws/reboot/${id}`)(headers)
  }

  const requestBackupWithoutHosting: LocalizedRequest = async (headers) => {
    const { config } = server.app
    const { hosting } = config
    Object.assign(config, { hosting: 'off' })
    try {
      return await postAs('order@alpha', 'POST', () => '/api/pdb/backup', { service_id: 1, pdb_type: 'pdb2s3' })(
        headers,
      )
    } finally {
      Object.assign(config, { hosting })
    }
  }

  const requestsByCode: Record<Code, LocalizedRequest | null> = {
    invalid_grant: signIn('user@alpha', 'Not-the-one-44'),
    PASSWORD_UNCHANGE: change(password, password),
    INVALID_ORG_PASSWORD: change('Not-the-one-44', newPassword),
    NOT_SUPPORT: requestBackupWithoutHosting,
    RESOURCE_LOCKED: rebootTwice,
    USER_STATUS_DEACTIVATED: signIn('waiting@alpha', password),
    USER_STATUS_INVALID: signIn('disabled@alpha', password),
    DUP_USER: postAs('admin@alpha', 'POST', () => '/api/m18s/user', duplicateUser),
    USER_NOT_EXIST: postAs('admin@alpha', 'DELETE', (ids) => `/api/m18s/user/${ids['user@beta']}`),
    NO_ACTIVATE_KEY: post('/public/users/activate', { password: newPassword }),
    INVALID_ACTIVATE_KEY: post('/public/users/activate', { otk: 'x'.repeat(43), password: newPassword }),
    ACTIVATE_OK: activate,
    INVALID_RESETPWD_LINK: post('/public/password/reset', { otk: 'x'.repeat(43), pwd: newPassword }),
  }

  const services = { en: enServices, zh: zhServices }
  const messages = { en: en as Record<string, string>, zh: zh as Record<string, string> }

  test.each(Object.entries(messageCatalogue))(
    '%s has a Chinese message and exactly the specified English message',
    (code, expected) => {
      expect(messages.en[code]).toBe(expected)
      expect(messages.zh[code]).toMatch(/\p{Script=Han}/u)
    },
  )

  const cases = Object.entries(requestsByCode).flatMap(([code, request]) =>
    request ? [[code as Code, request] as const] : [],
  )
  describe.each(cases)('%s', (code, request) => {
    test.each(['en', 'zh'] as const)('is returned in %s', async (language) => {
      const response = await request({ 'accept-language': languages[language] })
      const body = response.json()
      if (code === 'ACTIVATE_OK') return expect([response.statusCode, body]).toEqual([200, { code }])
      const values: Record<string, string> = {
        user: 'ALPHA-7f3a91 order',
        action: services[language].locked['reboot-service'] ?? '',
      }
      const sentence = messages[language][code]?.replace(/{{(\w+)}}/g, (_, name: string) => values[name] ?? '')
      expect([body.errorCode, body.errorMessage]).toEqual([code, sentence])
      expect(response.statusCode).toBeGreaterThanOrEqual(400)
    })
  })

  test('lists as not built exactly those codes that no implemented call can return', () => {
    expect(Object.keys(unbuiltCodes).toSorted()).toEqual(
      Object.entries(requestsByCode)
        .filter(([, request]) => request === null)
        .map(([code]) => code)
        .toSorted(),
    )
    const builtNames = new Set(
      createHandlers({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint.name),
    )
    for (const [code, name] of Object.entries(unbuiltCodes)) {
      expect(endpoints.map((endpoint) => endpoint.name)).toContain(name)
      // If this fails, the call is built. Add a request that causes the code, and remove the code from the list.
      expect([code, builtNames.has(name)]).toEqual([code, false])
    }
  })
})
