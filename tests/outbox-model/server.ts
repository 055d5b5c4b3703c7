/**
 * Simulates a server in memory that follows the rules of the idempotency store exactly (protocol 1 to 10, 13, 17, 24): keys, intents,
 * fingerprints of the bytes, chained versions, names, voids. A test can read its state. The real server is tested against the same rules in
 * tests/server and tests/integration.
 */
import { deleteSealKeys } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { isStored } from '#contract/verdict.ts'
import type { Clock, ReceivedResponse, SentRequest } from '#tests/support/device/device.ts'
import { buildUser, companyId } from '#tests/support/device/device-database.ts'
import { createSealKeys } from '#tests/support/device/seal-keys.ts'

export type ModelUser = ReturnType<typeof buildUser>

export interface IdempotencyRecord {
  intent: string
  key: string
  userId: number
  fingerprint: string
  state: 'done' | 'refused' | 'void'
  code: string | null
  response: ReceivedResponse
  row: { id: number; version: number } | null
}

/** One write as it arrived at the server, alone or in a batch. */
export interface ModelRequest {
  method: string
  path: string
  key: string
  intent: string
  forUser: string | undefined
  ifMatch: string | undefined
  body: Record<string, unknown> | null
  after: string | undefined
}

export interface ModelEffect {
  intent: string
  userId: number
  body: ModelRequest['body']
}

/**
 * Modes of the server. In the mode `well` it follows the rules. In the mode `deaf` it reports success without executing the write or
 * echoing its key. In all others it refuses every write with an error.
 */
export const serverModes = ['well', 'failing', 'forbidding', 'limiting', 'late', 'locked', 'busy', 'deaf'] as const
export type ServerMode = (typeof serverModes)[number]

export interface ModelServer {
  respond(request: SentRequest): Promise<ReceivedResponse>
  mode: ServerMode
  rows: Map<number, ModelUser>
  /** Every version of each row, by id and version. */
  history: Map<string, ModelUser>
  idempotency: IdempotencyRecord[]
  effects: ModelEffect[]
  /** Rules of the protocol that the device has broken. */
  violations: string[]
  /** Called with all writes of a request before the first one is executed. */
  onArrival: (items: readonly ModelRequest[]) => void
  /** Called after seal keys of a user were deleted. */
  onDeletedKeys: (userId: number, ids: readonly number[]) => void
  findSettled(intent: string): IdempotencyRecord | undefined
  /** Changes a row as another user. */
  changeBehind(id: number): void
  /** Makes all tokens issued so far invalid. */
  revoke(): void
}

const modeResponses: Partial<Record<ServerMode, [status: number, code: string, extra?: Record<string, string>]>> = {
  failing: [500, 'SERVER_ERROR'],
  limiting: [429, 'RATE_LIMITED', { 'retry-after': '5' }],
  late: [408, 'REQUEST_TIMEOUT'],
  locked: [423, 'RESOURCE_LOCKED'],
  busy: [503, 'UNAVAILABLE', { 'retry-after': '2' }],
}
const batchStops = new Set([401, 429, 503])

let requests = 0
const buildJsonResponse = (
  status: number,
  body: unknown,
  extraHeaders: Record<string, string> = {},
): ReceivedResponse => ({
  status,
  headers: { 'content-type': 'application/json', [headers.requestId]: `request-${++requests}`, ...extraHeaders },
  body: body === null ? '' : JSON.stringify(body),
})
const buildProblemResponse = (
  status: number,
  code: string,
  data: unknown = null,
  extraHeaders: Record<string, string> = {},
) =>
  buildJsonResponse(
    status,
    { errorCode: code, errorMessage: 'Words for people, in their language.', data },
    extraHeaders,
  )

const readBody = (text: string | null) => (text ? (JSON.parse(text) as Record<string, unknown>) : null)

const loggedOut: ReceivedResponse = {
  status: 204,
  headers: { [headers.requestId]: 'request-0', 'set-cookie': ['portal-refresh=; Path=/api/m18s; Max-Age=0'] },
  body: '',
}

export function createModelServer(clock: Clock): ModelServer {
  const tokens = new Map<string, { userId: number; session: number; until: number }>()
  const sealKeys = createSealKeys()
  let change = 1
  let tokenCount = 0

  function storeRow(row: ModelUser): ModelUser {
    server.rows.set(row.id, row)
    server.history.set(`${row.id} ${row.row_version}`, row)
    change += 1
    return row
  }

  function grantTokens(userId: number, session = sealKeys.begin(userId)): ReceivedResponse {
    const accessToken = `${userId}.${String(++tokenCount).padStart(20, '0')}`
    tokens.set(accessToken, { userId, session, until: clock.now() + 600_000 })
    const body = {
      access_token: accessToken,
      token_type: 'bearer',
      refresh_token: 'cookie',
      expires_in: 600,
      user_id: userId,
    }
    const response = buildJsonResponse(200, body)
    const cookies = [
      `portal-access=${accessToken}; Path=/; Max-Age=600`,
      `portal-refresh=${userId}.${session}; Path=/api/m18s`,
    ]
    return { ...response, headers: { ...response.headers, 'set-cookie': cookies } }
  }

  function respondToToken({ body, headers: requestHeaders }: SentRequest): ReceivedResponse {
    const form = new URLSearchParams(body ?? '')
    if (form.get('grant_type') === 'password') return grantTokens(Number(form.get('username')?.match(/user(\d+)/)?.[1]))
    const [, userIdText, session] = /portal-refresh=(\d+)\.(\d+)/.exec(requestHeaders.cookie ?? '') ?? []
    const userId = Number(userIdText)
    const forUser = requestHeaders[headers.forUser]
    if (userId && forUser && forUser !== `${companyId}:${userId}`) return buildProblemResponse(409, 'WRONG_SESSION')
    return userId ? grantTokens(userId, Number(session)) : buildProblemResponse(401, 'UNAUTHORIZED')
  }

  function respondWithList(url: URL): ReceivedResponse {
    const all = [...server.rows.values()]
    const listHeaders = { [headers.asOf]: String(clock.now()), [headers.change]: String(change) }
    if (url.searchParams.has('since'))
      return buildJsonResponse(200, { changed: all, gone: [], upto: change }, listHeaders)
    const visibleRows = all.filter(({ status }) => status !== -2).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return buildJsonResponse(200, { count: visibleRows.length, data: visibleRows.slice(0, 100) }, listHeaders)
  }

  /** Executes one write by the rules of the idempotency store, in their order (protocol 4). */
  function executeRequest(userId: number, item: ModelRequest): ReceivedResponse {
    const echo = { [headers.key]: item.key }
    if (item.forUser !== `${companyId}:${userId}`) return buildProblemResponse(409, 'WRONG_SESSION', null, echo)
    const modeResponse = modeResponses[server.mode]
    if (modeResponse)
      return buildProblemResponse(modeResponse[0], modeResponse[1], null, { ...echo, ...modeResponse[2] })
    const fingerprint = JSON.stringify([item.method, item.path, item.ifMatch, item.forUser, item.body])
    const ownRecords = server.idempotency.filter((record) => record.userId === userId)
    const knownRecord = ownRecords.find(({ key }) => key === item.key)
    if (knownRecord) return replayResponse(knownRecord, fingerprint, item)
    const settledRecord = ownRecords.find(({ intent, state }) => intent === item.intent && state !== 'refused')
    if (settledRecord) return respondIntentDone(settledRecord, echo)
    const result = applyRequest(item, ownRecords)
    const { errorCode } = (result.response.status >= 400 ? JSON.parse(result.response.body) : {}) as {
      errorCode?: string
    }
    const code = errorCode ?? null
    if (!isStored(result.response.status, code)) return withHeaders(result.response, echo)
    const state = result.response.status < 300 ? 'done' : 'refused'
    const outcome = { ...echo, [headers.outcome]: `${state}; ${server.idempotency.length + 1}` }
    const response = withHeaders(result.response, outcome)
    const { intent, key, body } = item
    server.idempotency.push({ intent, key, userId, fingerprint, state, code, response, row: result.row })
    if (state === 'done') server.effects.push({ intent, userId, body })
    return response
  }

  function replayResponse(record: IdempotencyRecord, fingerprint: string, item: ModelRequest): ReceivedResponse {
    if (record.fingerprint !== fingerprint) {
      server.violations.push(`key ${item.key} came with other bytes (protocol 2)`)
      return buildProblemResponse(422, 'IDEMPOTENCY_MISMATCH', null, {
        [headers.key]: item.key,
        [headers.outcome]: 'refused; schema',
      })
    }
    const replayed = withHeaders(record.response, { [headers.replayed]: 'true' })
    if (record.response.status !== 412) return replayed
    const current = server.rows.get(
      (JSON.parse(record.response.body) as { data: { current: ModelUser } }).data.current.id,
    )
    return { ...replayed, body: buildProblemResponse(412, 'VERSION_CONFLICT', { current }).body }
  }

  function respondIntentDone({ state, response }: IdempotencyRecord, echo: Record<string, string>): ReceivedResponse {
    if (state === 'void')
      return buildProblemResponse(409, 'INTENT_VOID', null, { ...echo, [headers.outcome]: 'refused; 1' })
    const firstResponse = { status: response.status, headers: response.headers, body: readBody(response.body) }
    const outcome = { ...echo, [headers.outcome]: 'done; 1' }
    return buildProblemResponse(409, 'INTENT_DONE', { answer: firstResponse }, outcome)
  }

  type AttemptResult = { response: ReceivedResponse; row: IdempotencyRecord['row'] }
  const refuse = (status: number, code: string, data: unknown = null): AttemptResult => ({
    response: buildProblemResponse(status, code, data),
    row: null,
  })

  function applyRequest(item: ModelRequest, ownRecords: readonly IdempotencyRecord[]): AttemptResult {
    const findOwnRecord = (intent: string) => ownRecords.findLast((record) => record.intent === intent)
    if (item.after && findOwnRecord(item.after)?.state !== 'done') return refuse(424, 'DEPENDENCY_FAILED')
    const isNew = item.path === '/api/m18s/user'
    const lastSegment = item.path.split('/').at(-1) ?? ''
    const namedRecord = lastSegment.startsWith('~') ? findOwnRecord(lastSegment.slice(1)) : null
    if (!isNew && namedRecord !== null && namedRecord?.state !== 'done') return refuse(424, 'NAME_UNKNOWN')
    const base = /^"~(.*)"$/.exec(item.ifMatch ?? '')?.[1]
    const baseRecord = base === undefined ? null : findOwnRecord(base)
    if (baseRecord !== null && baseRecord?.state !== 'done') return refuse(424, 'NAME_UNKNOWN')
    if (server.mode === 'forbidding') return refuse(403, 'FORBIDDEN')
    const name = String(item.body?.name ?? '')
    if (name.startsWith('bad')) return refuse(409, 'DUP_USER')
    if (name.startsWith('ask') && !item.body?.confirmKey) return refuse(409, 'APP_CONFIRM', { confirm_key: 'yes' })
    if (isNew)
      return succeed(
        storeRow(buildUser(server.rows.size + 1, { ...item.body, status: 0, row_version: 1 } as Partial<ModelUser>)),
      )
    const row = server.rows.get(namedRecord?.row?.id ?? Number(lastSegment))
    if (!row || row.status === -2) return refuse(404, 'USER_NOT_EXIST')
    const version = baseRecord
      ? baseRecord.row?.version
      : item.ifMatch === undefined
        ? null
        : Number(item.ifMatch.slice(1, -1))
    if (version !== null && version !== row.row_version) return refuse(412, 'VERSION_CONFLICT', { current: row })
    const { confirmKey: _, ...values } = item.body ?? {}
    const changes = item.method === 'DELETE' ? { status: -2 as const } : values
    const updatedRow = storeRow({ ...row, ...changes, row_version: row.row_version + 1 })
    return item.method === 'DELETE'
      ? { response: { ...buildJsonResponse(204, null) }, row: { id: updatedRow.id, version: updatedRow.row_version } }
      : succeed(updatedRow)
  }

  const succeed = (row: ModelUser): AttemptResult => ({
    response: buildJsonResponse(200, row, { etag: `"${row.row_version}"` }),
    row: { id: row.id, version: row.row_version },
  })

  function voidIntent(userId: number, intent: string): ReceivedResponse {
    const doneRecord = server.idempotency.find(
      (record) => record.userId === userId && record.intent === intent && record.state === 'done',
    )
    if (doneRecord) return doneRecord.response
    const response = buildJsonResponse(200, { void: true })
    const fingerprint = ''
    server.idempotency.push({
      intent,
      key: `void ${intent}`,
      userId,
      fingerprint,
      state: 'void',
      code: null,
      response,
      row: null,
    })
    return response
  }

  function toModelRequest(request: SentRequest): ModelRequest {
    const key = request.headers[headers.key] ?? ''
    const body = readBody(request.body)
    const intent = request.headers[headers.intent] ?? key
    const [forUser, ifMatch] = [request.headers[headers.forUser], request.headers['if-match']]
    return { method: request.method, path: request.path, key, intent, forUser, ifMatch, body, after: undefined }
  }

  interface WireItem {
    method: string
    path: string
    key: string
    headers: Record<string, string>
    body?: Record<string, unknown>
    after?: string
  }
  const parseBatchItem = ({ method, path, key, headers: itemHeaders, body, after }: WireItem): ModelRequest => {
    const intent = itemHeaders[headers.intent] ?? key
    const [forUser, ifMatch] = [itemHeaders[headers.forUser], itemHeaders['if-match']]
    return { method, path, key, intent, forUser, ifMatch, body: body ?? null, after }
  }

  function executeBatch(userId: number, items: readonly ModelRequest[]): ReceivedResponse {
    server.onArrival(items)
    let isStopped = false
    const answers = items.map((item) => {
      const echo = { [headers.key]: item.key }
      const response = isStopped ? buildProblemResponse(424, 'NOT_ATTEMPTED', null, echo) : executeRequest(userId, item)
      isStopped ||= batchStops.has(response.status)
      return {
        status: response.status,
        headers: response.headers,
        body: response.body === '' ? null : JSON.parse(response.body),
      }
    })
    return buildJsonResponse(200, answers)
  }

  /** Responds to requests about the caller's account: its data and the deletion of seal keys. Otherwise returns null. */
  function respondForAccount(
    request: SentRequest,
    url: URL,
    { userId, session }: { userId: number; session: number },
  ): ReceivedResponse | null {
    const isOwn = url.pathname === '/api/m18s/user' && request.method === 'GET'
    if (!isOwn && url.pathname !== deleteSealKeys.path) return null
    const forUser = request.headers[headers.forUser]
    if (forUser && forUser !== `${companyId}:${userId}`) return buildProblemResponse(409, 'WRONG_SESSION')
    if (isOwn) return buildJsonResponse(200, { ...buildUser(userId), ...sealKeys.buildResponse(userId, session, url) })
    server.onDeletedKeys(userId, sealKeys.forget(userId, session, url))
    return buildJsonResponse(204, null)
  }

  function respondSignedIn(
    request: SentRequest,
    { userId, session }: { userId: number; session: number },
  ): ReceivedResponse {
    const url = new URL(request.path, 'http://portal.test')
    const accountResponse = respondForAccount(request, url, { userId, session })
    if (accountResponse) return accountResponse
    if (url.pathname.endsWith('/users')) return respondWithList(url)
    if (url.pathname === '/api/batch')
      return executeBatch(userId, (JSON.parse(request.body ?? '[]') as WireItem[]).map(parseBatchItem))
    const voidedIntent = /^\/api\/request\/~(.*)$/.exec(url.pathname)?.[1]
    if (voidedIntent) {
      if (request.headers[headers.forUser] !== `${companyId}:${userId}`)
        return buildProblemResponse(409, 'WRONG_SESSION')
      return voidIntent(userId, voidedIntent)
    }
    if (server.mode === 'deaf') return buildJsonResponse(200, { ...buildUser(9), row_version: 9 })
    const item = toModelRequest(request)
    server.onArrival([item])
    return executeRequest(userId, item)
  }

  function respond(request: SentRequest): ReceivedResponse {
    if (request.path === '/api/m18s/token') return respondToToken(request)
    if (request.path === '/api/m18s/logout') return loggedOut
    const token = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    const key = request.headers[headers.key]
    const echo: Record<string, string> = key ? { [headers.key]: key } : {}
    if (!token) return buildProblemResponse(401, 'UNAUTHORIZED', null, echo)
    if (token.until <= clock.now()) return buildProblemResponse(401, 'TOKENEXPIRED', null, echo)
    const response = respondSignedIn(request, token)
    return withHeaders(response, {
      [headers.asOf]: String(clock.now()),
      [headers.subject]: `${companyId}:${token.userId}`,
    })
  }

  const server: ModelServer = {
    respond: async (request) => respond(request),
    mode: 'well',
    rows: new Map(),
    history: new Map(),
    idempotency: [],
    effects: [],
    violations: [],
    onArrival: () => {},
    onDeletedKeys: () => {},
    findSettled: (intent) => server.idempotency.findLast((record) => record.intent === intent),
    changeBehind(id) {
      const row = server.rows.get(id)
      if (row)
        storeRow({
          ...row,
          alert: !row.alert,
          title: ((row.title + 1) % 3) as ModelUser['title'],
          row_version: row.row_version + 1,
        })
    },
    revoke: () => tokens.clear(),
  }
  for (const id of [1, 2, 3]) storeRow(buildUser(id))
  return server
}

const withHeaders = (response: ReceivedResponse, extraHeaders: Record<string, string>): ReceivedResponse => ({
  ...response,
  headers: { ...response.headers, ...extraHeaders },
})
