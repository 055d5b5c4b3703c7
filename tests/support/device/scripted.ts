/**
 * A server of which a test can demand any answer: those that the real one gives only in bad weather. It keeps users and
 * an idempotency store, as small as the request pipeline can tell; the whole house is tested against the real one.
 */
import { createHash } from 'node:crypto'
import { deleteSealKeys } from '#contract/accounts.ts'
import { sendBatch } from '#contract/requests.ts'
import { headers } from '#contract/headers.ts'
import { aUser, company } from '#tests/support/device/device-database.ts'
import type { Clock, Received, Sent, Server } from '#tests/support/device/device.ts'
import { createSealKeys } from '#tests/support/device/seal-keys.ts'

type Row = ReturnType<typeof aUser>
type Script = (sent: Sent, answer: () => Received) => Received | null

export interface Scripted {
  answer: Server
  rows: Map<number, Row>
  /** How often each key really took effect. */
  effects: Map<string, number>
  sealKeys: ReturnType<typeof createSealKeys>
  renewals: number
  logouts: number
  /** Answers what the script answers, where it is not null; it may call for the true answer first. */
  script: Script | null
  /** All tokens given so far are worth nothing now. */
  revoke(): void
}

const json = (status: number, body: unknown, extra: Record<string, string> = {}): Received => ({
  status,
  headers: { 'content-type': 'application/json', [headers.requestId]: crypto.randomUUID(), ...extra },
  body: JSON.stringify(body),
})

export const refusal = (status: number, code: string, extra: Record<string, string> = {}, data: unknown = null) =>
  json(status, { errorCode: code, errorMessage: code, data }, extra)

/** `seals`: it gives keys with which what is left unsent is sealed; without, it stays as it is. */
export function createScripted(clock: Clock, { seals = false } = {}): Scripted {
  const rows = new Map([1, 2, 3].map((id) => [id, aUser(id)]))
  const idempotency = new Map<string, Received>()
  const tokens = new Map<string, { userId: number; session: number; until: number }>()
  const sealKeys = createSealKeys()
  let change = 1

  function give(userId: number, session = sealKeys.begin(userId)): Received {
    const access = `${userId}.${crypto.randomUUID()}`
    tokens.set(access, { userId, session, until: clock.now() + 600_000 })
    const body = {
      access_token: access,
      token_type: 'bearer',
      refresh_token: 'cookie',
      expires_in: 600,
      refresh_expires_in: 43_200,
      user_id: userId,
      access_hash: createHash('sha256').update(access).digest('hex'),
    }
    const given = json(200, body)
    return {
      ...given,
      headers: {
        ...given.headers,
        'set-cookie': [
          `portal-access=${access}; Path=/; Max-Age=600`,
          `portal-refresh=${userId}.${session}; Path=/api/m18s`,
        ],
      },
    }
  }

  function token({ body, headers: sent }: Sent): Received {
    const form = new URLSearchParams(body ?? '')
    if (form.get('grant_type') === 'password') return give(Number(form.get('username')?.match(/user(\d+)/)?.[1]))
    server.renewals += 1
    const [, of, session] = /portal-refresh=(\d+)\.(\d+)/.exec(sent.cookie ?? '') ?? []
    const userId = Number(of)
    return userId ? give(userId, Number(session)) : refusal(401, 'UNAUTHORIZED')
  }

  function list(url: URL): Received {
    const since = url.searchParams.get('since')
    const all = [...rows.values()]
    const shown = [headers.asOf, headers.change].map((name, at) => [name, String([clock.now(), change][at])])
    const body = since === null ? { count: all.length, data: all } : { changed: all, gone: [], upto: change }
    return json(200, body, Object.fromEntries(shown))
  }

  function write(sent: Sent, id: number | null): Received {
    const key = sent.headers[headers.key] ?? ''
    const stored = idempotency.get(key)
    if (stored) return { ...stored, headers: { ...stored.headers, [headers.replayed]: 'true' } }
    server.effects.set(key, (server.effects.get(key) ?? 0) + 1)
    change += 1
    const echo = { [headers.key]: key, [headers.outcome]: `done; ${change}` }
    const at = id ?? Math.max(...rows.keys()) + 1
    const before = rows.get(at) ?? aUser(at, { row_version: 0 })
    const row = { ...before, ...JSON.parse(sent.body ?? '{}'), row_version: before.row_version + 1 }
    rows.set(at, row)
    const answer = json(200, row, echo)
    idempotency.set(key, answer)
    return answer
  }

  function answered(sent: Sent): Received {
    const url = new URL(sent.path, 'http://portal.test')
    if (url.pathname === '/api/m18s/token') return token(sent)
    if (url.pathname === '/api/m18s/logout') {
      server.logouts += 1
      return { ...json(204, ''), body: '' }
    }
    const bearer = tokens.get(sent.headers.authorization?.replace('Bearer ', '') ?? '')
    const echo: Record<string, string> = sent.headers[headers.key]
      ? { [headers.key]: sent.headers[headers.key] ?? '' }
      : {}
    if (!bearer) return refusal(401, 'UNAUTHORIZED', echo)
    if (bearer.until <= clock.now()) return refusal(401, 'TOKENEXPIRED', echo)
    const subject = { [headers.subject]: `${company}:${bearer.userId}` }
    const said = inside(sent, url, bearer)
    return { ...said, headers: { ...said.headers, ...subject } }
  }

  const noKeys = { seal_key: 'k', session_seal_key: null, seal_keys: [] }

  function inside(sent: Sent, url: URL, { userId, session }: { userId: number; session: number }): Received {
    const forUser = sent.headers[headers.forUser]
    const key = sent.headers[headers.key] ?? ''
    if (forUser && forUser !== `${company}:${userId}`) return refusal(409, 'WRONG_SESSION', { [headers.key]: key })
    if (url.pathname === '/api/m18s/user' && sent.method === 'GET')
      return json(200, { ...aUser(userId), ...(seals ? sealKeys.said(userId, session, url) : noKeys) })
    if (url.pathname === deleteSealKeys.path) {
      sealKeys.forget(userId, session, url)
      return { ...json(204, ''), body: '' }
    }
    if (url.pathname.endsWith('/users')) return list(url)
    // It knows no batches: what is sent is to be seen one by one.
    if (url.pathname === sendBatch.path) return refusal(404, 'NOT_FOUND')
    return write(sent, sent.method === 'POST' ? null : Number(url.pathname.split('/').at(-1)))
  }

  const server: Scripted = {
    answer: async (sent) => server.script?.(sent, () => answered(sent)) ?? answered(sent),
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

/** One answer for the writes only, the echo included; nothing takes effect. */
export const toWrites =
  (status: number, code: string, extra: Record<string, string> = {}): Script =>
  (sent) =>
    sent.headers[headers.key]
      ? refusal(status, code, { [headers.key]: sent.headers[headers.key] ?? '', ...extra })
      : null
