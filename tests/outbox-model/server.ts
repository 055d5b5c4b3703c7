/**
 * A server in memory that keeps the rules of the idempotency store to the letter (protocol 1 to 10, 13, 17, 24): keys, intents,
 * prints of the bytes, chained versions, names, voids. What it knows is laid open, so that a test can say what happened.
 * The real one is tested against the same rules by tests/server and tests/integration.
 */
import { deleteSealKeys } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { isStored } from '#contract/verdict.ts'
import type { Clock, Received, Sent } from '#tests/support/device/device.ts'
import { aUser, company } from '#tests/support/device/device-database.ts'
import { createSealKeys } from '#tests/support/device/seal-keys.ts'

export type Row = ReturnType<typeof aUser>

export interface Stored {
  intent: string
  key: string
  userId: number
  print: string
  state: 'done' | 'refused' | 'void'
  code: string | null
  answer: Received
  row: { id: number; version: number } | null
}

/** One write as it came, alone or in a batch. */
export interface Item {
  method: string
  path: string
  key: string
  intent: string
  forUser: string | undefined
  ifMatch: string | undefined
  body: Record<string, unknown> | null
  after: string | undefined
}

export interface Effect {
  intent: string
  userId: number
  body: Item['body']
}

/** What every write is answered until another mood comes; `well`: by the rules; `deaf`: by one who never heard of keys. */
export const moods = ['well', 'failing', 'forbidding', 'limiting', 'late', 'locked', 'busy', 'deaf'] as const
export type Mood = (typeof moods)[number]

export interface ModelServer {
  answer(sent: Sent): Promise<Received>
  mood: Mood
  rows: Map<number, Row>
  /** Every state a row ever had, by id and version. */
  history: Map<string, Row>
  idempotency: Stored[]
  effects: Effect[]
  /** Rules of the protocol that a device has broken. */
  broken: string[]
  /** Called with the writes of one request before any of them is looked at. */
  onArrival: (items: readonly Item[]) => void
  /** Called when sealing keys of a user have been deleted. */
  onDeletedKeys: (userId: number, ids: readonly number[]) => void
  settled(intent: string): Stored | undefined
  /** Somebody else changes a row. */
  changeBehind(id: number): void
  /** All tokens given so far are worth nothing now. */
  revoke(): void
}

const moodAnswers: Partial<Record<Mood, [status: number, code: string, extra?: Record<string, string>]>> = {
  failing: [500, 'SERVER_ERROR'],
  limiting: [429, 'RATE_LIMITED', { 'retry-after': '5' }],
  late: [408, 'REQUEST_TIMEOUT'],
  locked: [423, 'RESOURCE_LOCKED'],
  busy: [503, 'UNAVAILABLE', { 'retry-after': '2' }],
}
const batchStops = new Set([401, 429, 503])

let requests = 0
const json = (status: number, body: unknown, extra: Record<string, string> = {}): Received => ({
  status,
  headers: { 'content-type': 'application/json', [headers.requestId]: `request-${++requests}`, ...extra },
  body: body === null ? '' : JSON.stringify(body),
})
const problem = (status: number, code: string, data: unknown = null, extra: Record<string, string> = {}) =>
  json(status, { errorCode: code, errorMessage: 'Words for people, in their language.', data }, extra)

const readBody = (text: string | null) => (text ? (JSON.parse(text) as Record<string, unknown>) : null)

const loggedOut: Received = {
  status: 204,
  headers: { [headers.requestId]: 'request-0', 'set-cookie': ['portal-refresh=; Path=/api/m18s; Max-Age=0'] },
  body: '',
}

export function createModelServer(clock: Clock): ModelServer {
  const tokens = new Map<string, { userId: number; session: number; until: number }>()
  const sealKeys = createSealKeys()
  let change = 1
  let made = 0

  function keep(row: Row): Row {
    server.rows.set(row.id, row)
    server.history.set(`${row.id} ${row.row_version}`, row)
    change += 1
    return row
  }

  function give(userId: number, session = sealKeys.begin(userId)): Received {
    const access = `${userId}.${String(++made).padStart(20, '0')}`
    tokens.set(access, { userId, session, until: clock.now() + 600_000 })
    const body = {
      access_token: access,
      token_type: 'bearer',
      refresh_token: 'cookie',
      expires_in: 600,
      user_id: userId,
    }
    const given = json(200, body)
    const cookies = [
      `portal-access=${access}; Path=/; Max-Age=600`,
      `portal-refresh=${userId}.${session}; Path=/api/m18s`,
    ]
    return { ...given, headers: { ...given.headers, 'set-cookie': cookies } }
  }

  function token({ body, headers: sent }: Sent): Received {
    const form = new URLSearchParams(body ?? '')
    if (form.get('grant_type') === 'password') return give(Number(form.get('username')?.match(/user(\d+)/)?.[1]))
    const [, of, session] = /portal-refresh=(\d+)\.(\d+)/.exec(sent.cookie ?? '') ?? []
    const userId = Number(of)
    const meant = sent[headers.forUser]
    if (userId && meant && meant !== `${company}:${userId}`) return problem(409, 'WRONG_SESSION')
    return userId ? give(userId, Number(session)) : problem(401, 'UNAUTHORIZED')
  }

  function list(url: URL): Received {
    const all = [...server.rows.values()]
    const shown = { [headers.asOf]: String(clock.now()), [headers.change]: String(change) }
    if (url.searchParams.has('since')) return json(200, { changed: all, gone: [], upto: change }, shown)
    const there = all.filter(({ status }) => status !== -2).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return json(200, { count: there.length, data: there.slice(0, 100) }, shown)
  }

  /** The rules, in their order (protocol 4). */
  function carry(userId: number, item: Item): Received {
    const echo = { [headers.key]: item.key }
    if (item.forUser !== `${company}:${userId}`) return problem(409, 'WRONG_SESSION', null, echo)
    const mood = moodAnswers[server.mood]
    if (mood) return problem(mood[0], mood[1], null, { ...echo, ...mood[2] })
    const print = JSON.stringify([item.method, item.path, item.ifMatch, item.forUser, item.body])
    const mine = server.idempotency.filter((one) => one.userId === userId)
    const known = mine.find(({ key }) => key === item.key)
    if (known) return again(known, print, item)
    const settled = mine.find(({ intent, state }) => intent === item.intent && state !== 'refused')
    if (settled) return done(settled, echo)
    const effect = attempt(item, mine)
    const { errorCode } = (effect.answer.status >= 400 ? JSON.parse(effect.answer.body) : {}) as { errorCode?: string }
    const code = errorCode ?? null
    if (!isStored(effect.answer.status, code)) return withHeaders(effect.answer, echo)
    const state = effect.answer.status < 300 ? 'done' : 'refused'
    const outcome = { ...echo, [headers.outcome]: `${state}; ${server.idempotency.length + 1}` }
    const answer = withHeaders(effect.answer, outcome)
    server.idempotency.push({ intent: item.intent, key: item.key, userId, print, state, code, answer, row: effect.row })
    if (state === 'done') server.effects.push({ intent: item.intent, userId, body: item.body })
    return answer
  }

  function again(known: Stored, print: string, item: Item): Received {
    if (known.print !== print) {
      server.broken.push(`key ${item.key} came with other bytes (protocol 2)`)
      return problem(422, 'IDEMPOTENCY_MISMATCH', null, {
        [headers.key]: item.key,
        [headers.outcome]: 'refused; schema',
      })
    }
    const replayed = withHeaders(known.answer, { [headers.replayed]: 'true' })
    if (known.answer.status !== 412) return replayed
    const current = server.rows.get((JSON.parse(known.answer.body) as { data: { current: Row } }).data.current.id)
    return { ...replayed, body: problem(412, 'VERSION_CONFLICT', { current }).body }
  }

  function done({ state, answer }: Stored, echo: Record<string, string>): Received {
    if (state === 'void') return problem(409, 'INTENT_VOID', null, { ...echo, [headers.outcome]: 'refused; 1' })
    const first = { status: answer.status, headers: answer.headers, body: readBody(answer.body) }
    return problem(409, 'INTENT_DONE', { answer: first }, { ...echo, [headers.outcome]: 'done; 1' })
  }

  type Tried = { answer: Received; row: Stored['row'] }
  const no = (status: number, code: string, data: unknown = null): Tried => ({
    answer: problem(status, code, data),
    row: null,
  })

  function attempt(item: Item, mine: readonly Stored[]): Tried {
    const settled = (intent: string) => mine.findLast((one) => one.intent === intent)
    if (item.after && settled(item.after)?.state !== 'done') return no(424, 'DEPENDENCY_FAILED')
    const isNew = item.path === '/api/m18s/user'
    const said = item.path.split('/').at(-1) ?? ''
    const named = said.startsWith('~') ? settled(said.slice(1)) : null
    if (!isNew && named !== null && named?.state !== 'done') return no(424, 'NAME_UNKNOWN')
    const base = /^"~(.*)"$/.exec(item.ifMatch ?? '')?.[1]
    const left = base === undefined ? null : settled(base)
    if (left !== null && left?.state !== 'done') return no(424, 'NAME_UNKNOWN')
    if (server.mood === 'forbidding') return no(403, 'FORBIDDEN')
    const name = String(item.body?.name ?? '')
    if (name.startsWith('bad')) return no(409, 'DUP_USER')
    if (name.startsWith('ask') && !item.body?.confirmKey) return no(409, 'APP_CONFIRM', { confirm_key: 'yes' })
    if (isNew)
      return did(keep(aUser(server.rows.size + 1, { ...item.body, status: 0, row_version: 1 } as Partial<Row>)))
    const row = server.rows.get(named?.row?.id ?? Number(said))
    if (!row || row.status === -2) return no(404, 'USER_NOT_EXIST')
    const version = left ? left.row?.version : item.ifMatch === undefined ? null : Number(item.ifMatch.slice(1, -1))
    if (version !== null && version !== row.row_version) return no(412, 'VERSION_CONFLICT', { current: row })
    const { confirmKey: _, ...values } = item.body ?? {}
    const changed = item.method === 'DELETE' ? { status: -2 as const } : values
    const now = keep({ ...row, ...changed, row_version: row.row_version + 1 })
    return item.method === 'DELETE'
      ? { answer: { ...json(204, null) }, row: { id: now.id, version: now.row_version } }
      : did(now)
  }

  const did = (row: Row): Tried => ({
    answer: json(200, row, { etag: `"${row.row_version}"` }),
    row: { id: row.id, version: row.row_version },
  })

  function takeBack(userId: number, intent: string): Received {
    const known = server.idempotency.find(
      (one) => one.userId === userId && one.intent === intent && one.state === 'done',
    )
    if (known) return known.answer
    const answer = json(200, { void: true })
    const print = ''
    server.idempotency.push({
      intent,
      key: `void ${intent}`,
      userId,
      print,
      state: 'void',
      code: null,
      answer,
      row: null,
    })
    return answer
  }

  function single(sent: Sent): Item {
    const key = sent.headers[headers.key] ?? ''
    const body = readBody(sent.body)
    const intent = sent.headers[headers.intent] ?? key
    const [forUser, ifMatch] = [sent.headers[headers.forUser], sent.headers['if-match']]
    return { method: sent.method, path: sent.path, key, intent, forUser, ifMatch, body, after: undefined }
  }

  interface Wire {
    method: string
    path: string
    key: string
    headers: Record<string, string>
    body?: Record<string, unknown>
    after?: string
  }
  const fromBatch = ({ method, path, key, headers: own, body, after }: Wire): Item => {
    const intent = own[headers.intent] ?? key
    return {
      method,
      path,
      key,
      intent,
      forUser: own[headers.forUser],
      ifMatch: own['if-match'],
      body: body ?? null,
      after,
    }
  }

  function batch(userId: number, items: readonly Item[]): Received {
    server.onArrival(items)
    let stopped = false
    const answers = items.map((item) => {
      const echo = { [headers.key]: item.key }
      const said = stopped ? problem(424, 'NOT_ATTEMPTED', null, echo) : carry(userId, item)
      stopped ||= batchStops.has(said.status)
      return { status: said.status, headers: said.headers, body: said.body === '' ? null : JSON.parse(said.body) }
    })
    return json(200, answers)
  }

  /** Of the own account: its data with the sealing keys, and their deletion. Null: the request is another. */
  function ownAccount(sent: Sent, url: URL, { userId, session }: { userId: number; session: number }): Received | null {
    const isOwn = url.pathname === '/api/m18s/user' && sent.method === 'GET'
    if (!isOwn && url.pathname !== deleteSealKeys.path) return null
    const meant = sent.headers[headers.forUser]
    if (meant && meant !== `${company}:${userId}`) return problem(409, 'WRONG_SESSION')
    if (isOwn) return json(200, { ...aUser(userId), ...sealKeys.said(userId, session, url) })
    server.onDeletedKeys(userId, sealKeys.forget(userId, session, url))
    return json(204, null)
  }

  function inside(sent: Sent, { userId, session }: { userId: number; session: number }): Received {
    const url = new URL(sent.path, 'http://portal.test')
    const own = ownAccount(sent, url, { userId, session })
    if (own) return own
    if (url.pathname.endsWith('/users')) return list(url)
    if (url.pathname === '/api/batch') return batch(userId, (JSON.parse(sent.body ?? '[]') as Wire[]).map(fromBatch))
    const asked = /^\/api\/request\/~(.*)$/.exec(url.pathname)?.[1]
    if (asked) {
      if (sent.headers[headers.forUser] !== `${company}:${userId}`) return problem(409, 'WRONG_SESSION')
      return takeBack(userId, asked)
    }
    if (server.mood === 'deaf') return json(200, { ...aUser(9), row_version: 9 })
    const item = single(sent)
    server.onArrival([item])
    return carry(userId, item)
  }

  function answered(sent: Sent): Received {
    if (sent.path === '/api/m18s/token') return token(sent)
    if (sent.path === '/api/m18s/logout') return loggedOut
    const bearer = tokens.get(sent.headers.authorization?.replace('Bearer ', '') ?? '')
    const key = sent.headers[headers.key]
    const echo: Record<string, string> = key ? { [headers.key]: key } : {}
    if (!bearer) return problem(401, 'UNAUTHORIZED', null, echo)
    if (bearer.until <= clock.now()) return problem(401, 'TOKENEXPIRED', null, echo)
    const said = inside(sent, bearer)
    return withHeaders(said, { [headers.asOf]: String(clock.now()), [headers.subject]: `${company}:${bearer.userId}` })
  }

  const server: ModelServer = {
    answer: async (sent) => answered(sent),
    mood: 'well',
    rows: new Map(),
    history: new Map(),
    idempotency: [],
    effects: [],
    broken: [],
    onArrival: () => {},
    onDeletedKeys: () => {},
    settled: (intent) => server.idempotency.findLast((one) => one.intent === intent),
    changeBehind(id) {
      const row = server.rows.get(id)
      if (row)
        keep({
          ...row,
          alert: !row.alert,
          title: ((row.title + 1) % 3) as Row['title'],
          row_version: row.row_version + 1,
        })
    },
    revoke: () => tokens.clear(),
  }
  for (const id of [1, 2, 3]) keep(aUser(id))
  return server
}

const withHeaders = (answer: Received, extra: Record<string, string>): Received => ({
  ...answer,
  headers: { ...answer.headers, ...extra },
})
