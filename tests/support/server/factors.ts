/** Sets up users with a second factor through the API, as a client does. */
import { runInTransaction } from '#server/db/transaction.ts'
import { newPasskey, type Passkey } from '#tests/support/server/authenticator.ts'
import { requestToken, type SignedIn, type TestServer, buildUsername } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'
import { calculateCode } from '#tests/support/server/otp.ts'

export const relyingParty = { origin: 'http://localhost:0', rpId: 'localhost' }

export interface SecondFactorStep {
  mfa_token: string
  methods: string[]
  enrol: boolean
  expires_in: number
  passkey: { challenge: string; rpId: string; allowCredentials: { id: string }[] } | null
}

/** Sends the password and returns the required second step. */
export async function passPasswordStep(server: TestServer, userName: string): Promise<SecondFactorStep> {
  const response = await requestToken(server.fastify, {
    grant_type: 'password',
    username: buildUsername(userName),
    password,
  })
  if (response.json().errorCode !== 'MFA_REQUIRED') throw new Error(`no second step: ${response.body}`)
  return response.json().data
}

export const sendSecondStep = (
  server: TestServer,
  mfa_token: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { 'x-token-store': 'body' },
) => requestToken(server.fastify, { grant_type: 'mfa', mfa_token, ...fields }, headers)

export const post = (person: Pick<SignedIn, 'send'>, path: string, payload: object = {}) =>
  person.send({ method: 'POST', url: `/api/m18s/mfa/${path}`, payload })

export async function proveIdentity(person: SignedIn): Promise<string> {
  const { mfa_token } = (await post(person, 'begin')).json()
  const response = await post(person, 'prove', { mfa_token, password })
  if (response.statusCode !== 204) throw new Error(`not proven: ${response.body}`)
  return mfa_token
}

export interface AuthenticatorApp {
  secret: string
  codes: string[]
}

/** Adds an authenticator app. Its current code is then used and cannot be used again. */
export async function addAuthenticatorApp(person: SignedIn, now: number): Promise<AuthenticatorApp> {
  const mfa_token = await proveIdentity(person)
  const { totp } = (await post(person, 'setup', { mfa_token, kind: 'totp' })).json()
  const response = await post(person, 'factor', {
    mfa_token,
    kind: 'totp',
    name: 'My phone',
    otp: calculateCode(totp.secret, now),
  })
  if (response.statusCode !== 200) throw new Error(`not added: ${response.body}`)
  return { secret: totp.secret, codes: response.json().recovery_codes }
}

export async function addPasskey(person: SignedIn): Promise<Passkey & { codes: string[] | null }> {
  const mfa_token = await proveIdentity(person)
  const { passkey } = (await post(person, 'setup', { mfa_token, kind: 'passkey' })).json()
  const createdPasskey = newPasskey(relyingParty)
  const attestation = createdPasskey.register(passkey.challenge)
  const response = await post(person, 'factor', { mfa_token, kind: 'passkey', name: 'Laptop', attestation })
  if (response.statusCode !== 200) throw new Error(`not added: ${response.body}`)
  return { ...createdPasskey, codes: response.json().recovery_codes }
}

/** Removes the demo mark of the user, because demo users are exempt from the second factor. */
export const makeNonDemo = (server: TestServer, userName: string) =>
  runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .updateTable('portal_user')
      .set({ demo: false })
      .where('id', '=', server.world.users[userName] ?? 0)
      .execute(),
  )
