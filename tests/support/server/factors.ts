/** Users with a second factor, set up over the calls as a client does it. */
import { inTransaction } from '#server/db/transaction.ts'
import { newPasskey, type Passkey } from '#tests/support/server/authenticator.ts'
import { grant, type SignedIn, type TestServer, usernameOf } from '#tests/support/server/server.ts'
import { password } from '#tests/support/server/world.ts'
import { codeAt } from '#tests/support/server/otp.ts'

export const home = { origin: 'http://localhost:0', rpId: 'localhost' }

export interface Step {
  mfa_token: string
  methods: string[]
  enrol: boolean
  expires_in: number
  passkey: { challenge: string; rpId: string; allowCredentials: { id: string }[] } | null
}

/** The password step; what it says is still needed. */
export async function passwordStep(server: TestServer, who: string): Promise<Step> {
  const answer = await grant(server.fastify, { grant_type: 'password', username: usernameOf(who), password })
  if (answer.json().errorCode !== 'MFA_REQUIRED') throw new Error(`no second step: ${answer.body}`)
  return answer.json().data
}

export const secondStep = (
  server: TestServer,
  mfa_token: string,
  given: Record<string, string>,
  headers: Record<string, string> = { 'x-token-store': 'body' },
) => grant(server.fastify, { grant_type: 'mfa', mfa_token, ...given }, headers)

export const post = (person: Pick<SignedIn, 'send'>, path: string, payload: object = {}) =>
  person.send({ method: 'POST', url: `/api/m18s/mfa/${path}`, payload })

/** A token that may change factors, by the password. */
export async function proven(person: SignedIn): Promise<string> {
  const { mfa_token } = (await post(person, 'begin')).json()
  const answer = await post(person, 'prove', { mfa_token, password })
  if (answer.statusCode !== 204) throw new Error(`not proven: ${answer.body}`)
  return mfa_token
}

export interface Kept {
  secret: string
  codes: string[]
}

/** With an authenticator app, whose present code is used up. */
export async function withApp(person: SignedIn, now: number): Promise<Kept> {
  const mfa_token = await proven(person)
  const { totp } = (await post(person, 'setup', { mfa_token, kind: 'totp' })).json()
  const added = await post(person, 'factor', {
    mfa_token,
    kind: 'totp',
    name: 'My phone',
    otp: codeAt(totp.secret, now),
  })
  if (added.statusCode !== 200) throw new Error(`not added: ${added.body}`)
  return { secret: totp.secret, codes: added.json().recovery_codes }
}

export async function withPasskey(person: SignedIn): Promise<Passkey & { codes: string[] | null }> {
  const mfa_token = await proven(person)
  const { passkey } = (await post(person, 'setup', { mfa_token, kind: 'passkey' })).json()
  const made = newPasskey(home)
  const attestation = made.made(passkey.challenge)
  const added = await post(person, 'factor', { mfa_token, kind: 'passkey', name: 'Laptop', attestation })
  if (added.statusCode !== 200) throw new Error(`not added: ${added.body}`)
  return { ...made, codes: added.json().recovery_codes }
}

/** Somebody whom the exception of the demo world does not cover. */
export const makeReal = (server: TestServer, who: string) =>
  inTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .updateTable('portal_user')
      .set({ demo: false })
      .where('id', '=', server.world.users[who] ?? 0)
      .execute(),
  )
