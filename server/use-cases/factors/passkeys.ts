/**
 * Passkeys (WebAuthn), bound to the address people use and never to what a request says of itself (S-37). What checks them is
 * fetched with the first one: it takes a third of a second to read in, and most who sign in have none.
 */
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { randomBytes } from 'node:crypto'
import type { RequestOptions } from '#contract/factors.ts'
import type { Config } from '#server/config/config.ts'
import type { Credential } from '#server/db/accounts/credentials.ts'
import type { Factor } from '#server/db/accounts/factors.ts'

const library = () => import('@simplewebauthn/server')
const timeoutMs = 120_000

type Placed = Pick<Config, 'publicUrl'>
const originOf = ({ publicUrl }: Placed) => new URL(publicUrl).origin
const idOf = ({ publicUrl }: Placed) => new URL(publicUrl).hostname

export const newChallenge = () => randomBytes(32).toString('base64url')

const isPasskey = ({ kind }: Factor) => kind === 'passkey'
const described = ({ credential_id, transports }: Factor) => ({
  id: credential_id ?? '',
  transports: transports ? transports.split(',') : [],
})

/** What a browser is asked with; null where the user has no passkey. */
export function requestOptions(config: Placed, factors: readonly Factor[], challenge: string): RequestOptions | null {
  const allowed = factors.filter(isPasskey).map((factor) => ({ ...described(factor), type: 'public-key' as const }))
  if (allowed.length === 0) return null
  const asked = { challenge, timeout: timeoutMs, rpId: idOf(config), userVerification: 'preferred' as const }
  return { ...asked, allowCredentials: allowed }
}

export interface Signed {
  factorId: number
  counter: number
}

/** Null where it is no answer of one of these keys to this challenge, at this address. */
export async function checkAssertion(
  config: Placed,
  factors: readonly Factor[],
  { assertion, challenge }: { assertion: string; challenge: string },
): Promise<Signed | null> {
  const response = parsed(assertion)
  const factor = factors.find((one) => isPasskey(one) && one.credential_id === response?.id)
  if (!response || !factor) return null
  const { verifyAuthenticationResponse } = await library()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as never,
      expectedChallenge: challenge,
      expectedOrigin: originOf(config),
      expectedRPID: idOf(config),
      credential: {
        id: factor.credential_id ?? '',
        publicKey: new Uint8Array(Buffer.from(factor.public_key ?? '', 'base64url')),
        counter: factor.counter ?? 0,
      },
      requireUserVerification: false,
    })
    return verified ? { factorId: factor.id, counter: authenticationInfo.newCounter } : null
  } catch {
    // The library throws for whatever does not fit.
    return null
  }
}

export async function creationOptions(
  config: Placed,
  { userId, userName, email, companyCode }: Credential,
  { factors, challenge }: { factors: readonly Factor[]; challenge: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Service portal',
    rpID: idOf(config),
    userName: `${email} (${companyCode})`,
    userDisplayName: userName,
    userID: new TextEncoder().encode(`user ${userId}`),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: factors.filter(isPasskey).map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
}

export type NewPasskey = Pick<Factor, 'credential_id' | 'public_key' | 'counter' | 'transports'>

/** Null where it was not made for this challenge, at this address. */
export async function checkAttestation(
  config: Placed,
  { attestation, challenge }: { attestation: string; challenge: string },
): Promise<NewPasskey | null> {
  const response = parsed(attestation)
  if (!response) return null
  const { verifyRegistrationResponse } = await library()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: originOf(config),
      expectedRPID: idOf(config),
      requireUserVerification: false,
    })
    if (!registrationInfo) return null
    const { id, publicKey, counter, transports } = registrationInfo.credential
    return {
      credential_id: id,
      public_key: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: transports?.join(',').slice(0, 100) ?? null,
    }
  } catch {
    return null
  }
}

function parsed(text: string): { id?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}
