/** Tokens in, tokens out: the form and the cookies of the token and logout calls. */
import type { ParsedInputOf } from '#contract/endpoint.ts'
import { clientCredential, grantToken, signOut, type TokenInfo, type UnauthorizedData } from '#contract/accounts.ts'
import { userOfAccess } from '#contract/cookies.ts'
import { headers } from '#contract/headers.ts'
import { languageAsked } from '#server/problems/problem-body.ts'
import { deviceCookieOf, setDeviceCookie } from '#server/http/device-cookie.ts'
import { headerOf } from '#server/http/input/parse.ts'
import { bearerOf } from '#server/http/authenticate.ts'
import { clearCookies, refreshCookieOf, setCookies } from '#server/http/token-cookies.ts'
import { invalid, ProblemError } from '#server/problems/problem-error.ts'
import {
  procedureHandler,
  type Handler,
  type ProcedureAnswer,
  type RequestContext,
} from '#server/http/route-handler.ts'
import { renewSession } from '#server/use-cases/sessions/refresh-session.ts'
import { signInBySecondFactor } from '#server/use-cases/sessions/sign-in-second-step.ts'
import { type Device, type Granted, signInByPassword } from '#server/use-cases/sessions/sign-in.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'
import { endOwnSession } from '#server/use-cases/sessions/sign-out.ts'

type Form = ParsedInputOf<typeof grantToken>['body']

export const signIn: Handler[] = [
  procedureHandler(grantToken, async (visit, { body }) => {
    requireClient(visit)
    if (body.grant_type === 'password') return tokens(visit, await byPassword(visit, body))
    if (body.grant_type === 'refresh_token')
      return tokens(visit, await byRefresh(visit, body), { inBody: wantsBody(visit) && refreshInForm(body) !== null })
    return tokens(visit, await bySecondFactor(visit, body))
  }),

  procedureHandler(signOut, async (visit) => {
    const { tls } = visit.app.config
    const access = bearerOf(visit.headers.authorization)
    const refresh = refreshCookieOf(visit.headers, tls)
    await endOwnSession(visit.app, { access, refresh }, visit.requestId)
    return { body: null, cookies: clearCookies(tls) }
  }),
]

/** Names the client and protects nothing; still no other name is known (D85). */
function requireClient({ headers: sent }: RequestContext): void {
  const found = /^Basic ([A-Za-z0-9+/=]{1,400})$/i.exec(sent.authorization ?? '')
  const credential = found ? Buffer.from(found[1] ?? '', 'base64').toString('utf8') : null
  if (credential !== clientCredential) throw new ProblemError('invalid_client')
}

function byPassword(visit: RequestContext, { username, password }: Form): Promise<Granted> {
  const missing = Object.entries({ username, password }).filter(([, value]) => !value)
  if (missing.length > 0) throw invalid(missing.map(([field]) => ({ field, code: 'REQUIRED' })))
  const older = refreshCookieOf(visit.headers, visit.app.config.tls)
  return signInByPassword(visit.app, { username: username ?? '', password: password ?? '', older }, deviceOf(visit))
}

function bySecondFactor(visit: RequestContext, { mfa_token, otp, assertion, recovery_code }: Form): Promise<Granted> {
  if (!mfa_token) throw invalid([{ field: 'mfa_token', code: 'REQUIRED' }])
  const older = refreshCookieOf(visit.headers, visit.app.config.tls)
  const given = { otp, assertion, recovery_code }
  return signInBySecondFactor(visit.app, { token: mfa_token, given, older }, deviceOf(visit))
}

const deviceOf = (visit: RequestContext): Device => ({
  address: visit.address,
  userAgent: visit.headers['user-agent'] ?? '',
  cookie: deviceCookieOf(visit.headers, visit.app.config.tls),
  keepsCookies: !wantsBody(visit),
  requestId: visit.requestId,
  language: languageAsked(visit.headers['accept-language']),
})

/** A client that keeps no cookies (K-10). */
const wantsBody = ({ headers: sent }: Pick<RequestContext, 'headers'>) => headerOf(sent, headers.tokenStore) === 'body'

/** `cookie` is what the answer says to browsers, so a client that sends it back means the cookie (K-10). */
const refreshInForm = ({ refresh_token }: Form): string | null =>
  refresh_token && refresh_token !== 'cookie' ? refresh_token : null

function byRefresh(visit: RequestContext, form: Form): Promise<Granted> {
  const refresh = refreshInForm(form) ?? refreshCookieOf(visit.headers, visit.app.config.tls)
  // A browser drops the cookie when its time is over.
  if (!refresh) throw new ProblemError('UNAUTHORIZED', { why: 'missing' } satisfies UnauthorizedData)
  const newestAccess = headerOf(visit.headers, headers.newestAccess) ?? null
  return renewSession(visit.app, {
    refresh,
    expected: expectedOf(visit, form),
    newestAccess,
    requestId: visit.requestId,
  })
}

/** Who the caller takes itself for: by For-User, or by the user that its access value names (protocol 28). */
function expectedOf(visit: RequestContext, { access_token }: Form) {
  const said = /^(\d{1,10}):(\d{1,10})$/.exec(headerOf(visit.headers, headers.forUser) ?? '')
  if (said) return { companyId: Number(said[1]), userId: Number(said[2]) }
  const userId = access_token ? userOfAccess(access_token) : null
  return userId === null ? null : { companyId: null, userId }
}

/** What came as a cookie leaves as one: script in the page must not get it by asking for it in the body. */
function tokens(
  visit: RequestContext,
  granted: Granted,
  { inBody }: { inBody: boolean } = { inBody: wantsBody(visit) },
): ProcedureAnswer<TokenInfo> {
  const { pair, userId, accessSeconds, refreshSeconds, device } = granted
  const { tls } = visit.app.config
  const own = setCookies({ ...pair, accessSeconds, refreshSeconds }, tls)
  return {
    body: {
      access_token: pair.access,
      token_type: 'Bearer',
      refresh_token: inBody ? pair.refresh : 'cookie',
      expires_in: accessSeconds,
      refresh_expires_in: refreshSeconds,
      user_id: userId,
      access_hash: hashToken(pair.access),
    },
    cookies: inBody ? [] : [...own, ...(device === null ? [] : [setDeviceCookie(device, tls)])],
  }
}
