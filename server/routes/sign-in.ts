/** Tokens in, tokens out: the form and the cookies of the token and logout calls. */
import type { InputOf } from '#contract/endpoint.ts'
import { clientCredential, grantToken, signOut, type TokenInfo } from '#contract/accounts.ts'
import { userOfAccess } from '#contract/cookies.ts'
import { headers } from '#contract/headers.ts'
import { languageAsked } from '#server/errors.ts'
import { deviceCookieOf, setDeviceCookie } from '#server/http/device-cookie.ts'
import { headerOf } from '#server/http/input.ts'
import { bearerOf } from '#server/http/session.ts'
import { clearCookies, refreshCookieOf, setCookies } from '#server/http/token-cookies.ts'
import { invalid, ProblemError } from '#server/problem.ts'
import { conduct, type Handler, type ProcedureAnswer, type Visit } from '#server/routes/handlers.ts'
import { renewSession } from '#server/services/refresh.ts'
import { signInBySecondFactor } from '#server/services/second-step.ts'
import { type Device, type Granted, signInByPassword } from '#server/services/sign-in.ts'
import { endOwnSession } from '#server/services/sign-out.ts'

type Form = InputOf<typeof grantToken>['body']

export const signIn: Handler[] = [
  conduct(grantToken, async (visit, { body }) => {
    requireClient(visit)
    if (body.grant_type === 'password') return tokens(visit, await byPassword(visit, body))
    if (body.grant_type === 'refresh_token') return tokens(visit, await byRefresh(visit, body))
    return tokens(visit, await bySecondFactor(visit, body))
  }),

  conduct(signOut, async (visit) => {
    const { tls } = visit.house.config
    const access = bearerOf(visit.headers.authorization)
    const refresh = refreshCookieOf(visit.headers, tls)
    await endOwnSession(visit.house, { access, refresh }, visit.requestId)
    return { body: null, cookies: clearCookies(tls) }
  }),
]

/** Names the client and protects nothing; still no other name is known (D85). */
function requireClient({ headers: sent }: Visit): void {
  const found = /^Basic ([A-Za-z0-9+/=]{1,400})$/i.exec(sent.authorization ?? '')
  const credential = found ? Buffer.from(found[1] ?? '', 'base64').toString('utf8') : null
  if (credential !== clientCredential) throw new ProblemError('invalid_client')
}

function byPassword(visit: Visit, { username, password }: Form): Promise<Granted> {
  const missing = Object.entries({ username, password }).filter(([, value]) => !value)
  if (missing.length > 0) throw invalid(missing.map(([field]) => ({ field, code: 'REQUIRED' })))
  const older = refreshCookieOf(visit.headers, visit.house.config.tls)
  return signInByPassword(visit.house, { username: username ?? '', password: password ?? '', older }, deviceOf(visit))
}

function bySecondFactor(visit: Visit, { mfa_token, otp, assertion, recovery_code }: Form): Promise<Granted> {
  if (!mfa_token) throw invalid([{ field: 'mfa_token', code: 'REQUIRED' }])
  const older = refreshCookieOf(visit.headers, visit.house.config.tls)
  const given = { otp, assertion, recovery_code }
  return signInBySecondFactor(visit.house, { token: mfa_token, given, older }, deviceOf(visit))
}

const deviceOf = (visit: Visit): Device => ({
  address: visit.address,
  userAgent: visit.headers['user-agent'] ?? '',
  cookie: deviceCookieOf(visit.headers, visit.house.config.tls),
  keepsCookies: !wantsBody(visit),
  requestId: visit.requestId,
  language: languageAsked(visit.headers['accept-language']),
})

/** A client that keeps no cookies (K-10). */
const wantsBody = ({ headers: sent }: Pick<Visit, 'headers'>) => headerOf(sent, headers.tokenStore) === 'body'

/** `cookie` is what the answer says to browsers, so a client that sends it back means the cookie (K-10). */
function byRefresh(visit: Visit, form: Form): Promise<Granted> {
  const inForm = form.refresh_token && form.refresh_token !== 'cookie' ? form.refresh_token : null
  const refresh = inForm ?? refreshCookieOf(visit.headers, visit.house.config.tls)
  if (!refresh) throw new ProblemError('UNAUTHORIZED')
  return renewSession(visit.house, { refresh, expected: expectedOf(visit, form), requestId: visit.requestId })
}

/** Who the caller takes itself for: by For-User, or by the user that its access value names (protocol 28). */
function expectedOf(visit: Visit, { access_token }: Form) {
  const said = /^(\d{1,10}):(\d{1,10})$/.exec(headerOf(visit.headers, headers.forUser) ?? '')
  if (said) return { companyId: Number(said[1]), userId: Number(said[2]) }
  const userId = access_token ? userOfAccess(access_token) : null
  return userId === null ? null : { companyId: null, userId }
}

function tokens(visit: Visit, granted: Granted): ProcedureAnswer<TokenInfo> {
  const { pair, userId, accessSeconds, refreshSeconds, device } = granted
  const { tls } = visit.house.config
  const inBody = wantsBody(visit)
  const own = setCookies({ ...pair, accessSeconds, refreshSeconds }, tls)
  return {
    body: {
      access_token: pair.access,
      token_type: 'Bearer',
      refresh_token: inBody ? pair.refresh : 'cookie',
      expires_in: accessSeconds,
      refresh_expires_in: refreshSeconds,
      user_id: userId,
    },
    cookies: inBody ? [] : [...own, ...(device === null ? [] : [setDeviceCookie(device, tls)])],
  }
}
