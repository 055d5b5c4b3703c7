import type { ParsedInputOf } from '#contract/endpoint.ts'
import {
  clientCredential,
  grantToken,
  signOut,
  type TokenResponse,
  type UnauthorizedDetails,
} from '#contract/accounts.ts'
import { parseAccessUserId } from '#contract/cookies.ts'
import { headers } from '#contract/headers.ts'
import { findAcceptedLanguage } from '#server/problems/problem-body.ts'
import { readDeviceCookie, buildDeviceCookie } from '#server/http/device-cookie.ts'
import { getHeader } from '#server/http/input/parse.ts'
import { parseBearer } from '#server/http/authenticate.ts'
import { buildClearedCookies, readRefreshCookie, buildTokenCookies } from '#server/http/token-cookies.ts'
import { createValidationProblem, ProblemError } from '#server/problems/problem-error.ts'
import {
  createProcedureHandler,
  type EndpointHandler,
  type ProcedureResponse,
  type RequestContext,
} from '#server/http/route-handler.ts'
import { renewSession } from '#server/use-cases/sessions/refresh-session.ts'
import { signInBySecondFactor } from '#server/use-cases/sessions/sign-in-second-step.ts'
import { type SignInClientDevice, type SessionGrant, signInByPassword } from '#server/use-cases/sessions/sign-in.ts'
import { hashToken } from '#server/use-cases/sessions/tokens.ts'
import { completeSignOut } from '#server/use-cases/sessions/sign-out.ts'

type TokenForm = ParsedInputOf<typeof grantToken>['body']

export const signInHandlers: EndpointHandler[] = [
  createProcedureHandler(grantToken, async (context, { body }) => {
    requireClient(context)
    if (body.grant_type === 'password') return createTokenResponse(context, await signInWithPassword(context, body))
    if (body.grant_type === 'refresh_token')
      return createTokenResponse(context, await refreshTokens(context, body), {
        inBody: wantsTokensInBody(context) && readRefreshFromForm(body) !== null,
      })
    return createTokenResponse(context, await signInWithSecondFactor(context, body))
  }),

  createProcedureHandler(signOut, async (context) => {
    const { tls } = context.app.config
    const access = parseBearer(context.headers.authorization)
    const refresh = readRefreshCookie(context.headers, tls)
    await completeSignOut(context.app, { access, refresh }, context.requestId)
    return { body: null, cookies: buildClearedCookies(tls) }
  }),
]

/**
 * Throws `invalid_client` unless the request has the portal's own client credential (D85). The credential is public and protects nothing.
 */
function requireClient({ headers: requestHeaders }: RequestContext): void {
  const match = /^Basic ([A-Za-z0-9+/=]{1,400})$/i.exec(requestHeaders.authorization ?? '')
  const credential = match ? Buffer.from(match[1] ?? '', 'base64').toString('utf8') : null
  if (credential !== clientCredential) throw new ProblemError('invalid_client')
}

function signInWithPassword(context: RequestContext, { username, password }: TokenForm): Promise<SessionGrant> {
  const missingFields = Object.entries({ username, password }).filter(([, value]) => !value)
  if (missingFields.length > 0)
    throw createValidationProblem(missingFields.map(([field]) => ({ field, code: 'REQUIRED' })))
  const previousRefresh = readRefreshCookie(context.headers, context.app.config.tls)
  return signInByPassword(
    context.app,
    { username: username ?? '', password: password ?? '', olderRefreshToken: previousRefresh },
    getDevice(context),
  )
}

function signInWithSecondFactor(
  context: RequestContext,
  { mfa_token, otp, assertion, recovery_code }: TokenForm,
): Promise<SessionGrant> {
  if (!mfa_token) throw createValidationProblem([{ field: 'mfa_token', code: 'REQUIRED' }])
  const previousRefresh = readRefreshCookie(context.headers, context.app.config.tls)
  const proof = { otp, assertion, recovery_code }
  return signInBySecondFactor(
    context.app,
    { token: mfa_token, evidence: proof, olderRefreshToken: previousRefresh },
    getDevice(context),
  )
}

const getDevice = (context: RequestContext): SignInClientDevice => ({
  address: context.address,
  userAgent: context.headers['user-agent'] ?? '',
  cookie: readDeviceCookie(context.headers, context.app.config.tls),
  storesCookies: !wantsTokensInBody(context),
  requestId: context.requestId,
  language: findAcceptedLanguage(context.headers['accept-language']),
})

/** Returns whether the client stores no cookies and so wants the tokens in the body (K-10). */
const wantsTokensInBody = ({ headers: requestHeaders }: Pick<RequestContext, 'headers'>) =>
  getHeader(requestHeaders, headers.tokenStore) === 'body'

/**
 * Returns the refresh token in the form, or null. Browsers get the value `cookie` in the response, so this value means the cookie (K-10).
 */
const readRefreshFromForm = ({ refresh_token }: TokenForm): string | null =>
  refresh_token && refresh_token !== 'cookie' ? refresh_token : null

function refreshTokens(context: RequestContext, form: TokenForm): Promise<SessionGrant> {
  const refresh = readRefreshFromForm(form) ?? readRefreshCookie(context.headers, context.app.config.tls)
  // There is no token if the cookie has expired, because the browser has deleted it.
  if (!refresh) throw new ProblemError('UNAUTHORIZED', { why: 'missing' } satisfies UnauthorizedDetails)
  const newestAccess = getHeader(context.headers, headers.latestAccess) ?? null
  return renewSession(context.app, {
    refresh,
    expectedUser: readExpectedUser(context, form),
    newestAccess,
    requestId: context.requestId,
  })
}

/** Returns the user that the client assumes, from For-User or from its access token (protocol 28). */
function readExpectedUser(context: RequestContext, { access_token }: TokenForm) {
  const match = /^(\d{1,10}):(\d{1,10})$/.exec(getHeader(context.headers, headers.forUser) ?? '')
  if (match) return { companyId: Number(match[1]), userId: Number(match[2]) }
  const userId = access_token ? parseAccessUserId(access_token) : null
  return userId === null ? null : { companyId: null, userId }
}

/** If a token arrived as a cookie, the new token is returned as a cookie too, so that a script in the page cannot get it from the body. */
function createTokenResponse(
  context: RequestContext,
  sessionGrant: SessionGrant,
  { inBody }: { inBody: boolean } = { inBody: wantsTokensInBody(context) },
): ProcedureResponse<TokenResponse> {
  const { tokens: pair, userId, accessSeconds, refreshSeconds, device } = sessionGrant
  const { tls } = context.app.config
  const tokenCookies = buildTokenCookies({ ...pair, accessSeconds, refreshSeconds }, tls)
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
    cookies: inBody ? [] : [...tokenCookies, ...(device === null ? [] : [buildDeviceCookie(device, tls)])],
  }
}
