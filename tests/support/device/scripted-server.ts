/**
 * Simulates a server whose responses a test controls, for cases that are rare with the real server. It implements users and an idempotency
 * store as far as the request pipeline needs them. Other tests use the real server.
 */
import { createHash } from 'node:crypto'
import { deleteSealKeys } from '#contract/accounts.ts'
import { sendBatch } from '#contract/requests.ts'
import { headers } from '#contract/headers.ts'
import { buildUser, companyId } from '#tests/support/device/device-database.ts'
import type { Clock, ReceivedResponse, SentRequest, ServerTransport } from '#tests/support/device/device.ts'
import { createSealKeys } from '#tests/support/device/seal-keys.ts'

type TestUser = ReturnType<typeof buildUser>
type ResponseScript = (request: SentRequest, respond: () => ReceivedResponse) => ReceivedResponse | null

export interface ScriptedServer {
  transport: ServerTransport
  rows: Map<number, TestUser>
  effects: Map<string, number>
  sealKeys: ReturnType<typeof createSealKeys>
  renewals: number
  logouts: number
  /** If set, its response is used unless it is null. The script may request the normal response first. */
  script: ResponseScript | null
  /** Invalidates all tokens issued so far. */
  revoke(): void
}

const json = (status: number, body: unknown, extraHeaders: Record<string, string> = {}): ReceivedResponse => ({
  status,
  headers: { 'content-type': 'application/json', [headers.requestId]: crypto.randomUUID(), ...extraHeaders },
  body: JSON.stringify(body),
})

export const buildRefusal = (
  status: number,
  code: string,
  extraHeaders: Record<string, string> = {},
  data: unknown = null,
) => json(status, { errorCode: code, errorMessage: code, data }, extraHeaders)

/** Creates the server. If `seals` is true, it issues keys with which unsent writes are sealed. Otherwise they stay unsealed. */
export function createScriptedServer(clock: Clock, { seals: hasSeals = false } = {}): ScriptedServer {
  const rows = new Map([1, 2, 3].map((id) => [id, buildUser(id)]))
  const idempotency = new Map<string, ReceivedResponse>()
  const tokens = new Map<string, { userId: number; session: number; until: number }>()
  const sealKeys = createSealKeys()
  let change = 1

  function grantTokens(userId: number, session = sealKeys.begin(userId)): ReceivedResponse {
    const accessToken = `${userId}.${crypto.randomUUID()}`
    tokens.set(accessToken, { userId, session, until: clock.now() + 600_000 })
    const body = {
      access_token: accessToken,
      token_type: 'bearer',
      refresh_token: 'cookie',
      expires_in: 600,
      refresh_expires_in: 43_200,
      user_id: userId,
      access_hash: createHash('sha256').update(accessToken).digest('hex'),
    }
    const response = json(200, body)
    return {
      ...response,
      headers: {
        ...response.headers,
        'set-cookie': [
          `portal-access=${accessToken}; Path=/; Max-Age=600`,
          `portal-refresh=${userId}.${session}; Path=/api/m18s`,
        ],
      },
    }
  }

  function respondToToken({ body, headers: requestHeaders }: SentRequest): ReceivedResponse {
    const form = new URLSearchParams(body ?? '')
    if (form.get('grant_type') === 'password') return grantTokens(Number(form.get('username')?.match(/user(\d+)/)?.[1]))
    server.renewals += 1
    const [, userIdText, session] = /portal-refresh=(\d+)\.(\d+)/.exec(requestHeaders.cookie ?? '') ?? []
    const userId = Number(userIdText)
    return userId ? grantTokens(userId, Number(session)) : buildRefusal(401, 'UNAUTHORIZED')
  }

  function respondWithList(url: URL): ReceivedResponse {
    const since = url.searchParams.get('since')
    const all = [...rows.values()]
    const listHeaders = [headers.asOf, headers.change].map((name, index) => [
      name,
      String([clock.now(), change][index]),
    ])
    const body = since === null ? { count: all.length, data: all } : { changed: all, gone: [], upto: change }
    return json(200, body, Object.fromEntries(listHeaders))
  }

  function respondToWrite(request: SentRequest, id: number | null): ReceivedResponse {
    const key = request.headers[headers.key] ?? ''
    const storedResponse = idempotency.get(key)
    if (storedResponse) return { ...storedResponse, headers: { ...storedResponse.headers, [headers.replayed]: 'true' } }
    server.effects.set(key, (server.effects.get(key) ?? 0) + 1)
    change += 1
    const echo = { [headers.key]: key, [headers.outcome]: `done; ${change}` }
    const rowId = id ?? Math.max(...rows.keys()) + 1
    const previousRow = rows.get(rowId) ?? buildUser(rowId, { row_version: 0 })
    const row = { ...previousRow, ...JSON.parse(request.body ?? '{}'), row_version: previousRow.row_version + 1 }
    rows.set(rowId, row)
    const response = json(200, row, echo)
    idempotency.set(key, response)
    return response
  }

  function respond(request: SentRequest): ReceivedResponse {
    const url = new URL(request.path, 'http://portal.test')
    if (url.pathname === '/api/m18s/token') return respondToToken(request)
    if (url.pathname === '/api/m18s/logout') {
      server.logouts += 1
      return { ...json(204, ''), body: '' }
    }
    const token = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    const echo: Record<string, string> = request.headers[headers.key]
      ? { [headers.key]: request.headers[headers.key] ?? '' }
      : {}
    if (!token) return buildRefusal(401, 'UNAUTHORIZED', echo)
    if (token.until <= clock.now()) return buildRefusal(401, 'TOKENEXPIRED', echo)
    const subject = { [headers.subject]: `${companyId}:${token.userId}` }
    const response = respondSignedIn(request, url, token)
    return { ...response, headers: { ...response.headers, ...subject } }
  }

  const noKeys = { seal_key: 'k', session_seal_key: null, seal_keys: [] }

  function respondSignedIn(
    request: SentRequest,
    url: URL,
    { userId, session }: { userId: number; session: number },
  ): ReceivedResponse {
    const forUser = request.headers[headers.forUser]
    const key = request.headers[headers.key] ?? ''
    if (forUser && forUser !== `${companyId}:${userId}`)
      return buildRefusal(409, 'WRONG_SESSION', { [headers.key]: key })
    if (url.pathname === '/api/m18s/user' && request.method === 'GET')
      return json(200, { ...buildUser(userId), ...(hasSeals ? sealKeys.buildResponse(userId, session, url) : noKeys) })
    if (url.pathname === deleteSealKeys.path) {
      sealKeys.forget(userId, session, url)
      return { ...json(204, ''), body: '' }
    }
    if (url.pathname.endsWith('/users')) return respondWithList(url)
    // There is no batch endpoint, so each write is sent separately.
    if (url.pathname === sendBatch.path) return buildRefusal(404, 'NOT_FOUND')
    return respondToWrite(request, request.method === 'POST' ? null : Number(url.pathname.split('/').at(-1)))
  }

  const server: ScriptedServer = {
    transport: async (request) => server.script?.(request, () => respond(request)) ?? respond(request),
    rows,
    effects: new Map(),
    sealKeys,
    renewals: 0,
    logouts: 0,
    script: null,
    revoke: () => tokens.clear(),
  }
  return server
}

/** Refuses all writes with one response that contains their idempotency key. Nothing takes effect. */
export const refuseWrites =
  (status: number, code: string, extraHeaders: Record<string, string> = {}): ResponseScript =>
  (request) =>
    request.headers[headers.key]
      ? buildRefusal(status, code, { [headers.key]: request.headers[headers.key] ?? '', ...extraHeaders })
      : null
