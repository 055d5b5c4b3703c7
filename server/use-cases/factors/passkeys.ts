/**
 * Checks passkeys (WebAuthn), which are bound to the configured address and never to an address from a request (S-37). The library is
 * loaded on first use, because loading takes a third of a second and most users have no passkey.
 */
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { randomBytes } from 'node:crypto'
import type { RequestOptions } from '#contract/factors.ts'
import type { Config } from '#server/config/config.ts'
import type { UserCredential } from '#server/db/accounts/credentials.ts'
import type { FactorRecord } from '#server/db/accounts/factors.ts'

const loadLibrary = () => import('@simplewebauthn/server')
const timeoutMs = 120_000

type PublicUrlConfig = Pick<Config, 'publicUrl'>
const getOrigin = ({ publicUrl }: PublicUrlConfig) => new URL(publicUrl).origin
const getRelyingPartyId = ({ publicUrl }: PublicUrlConfig) => new URL(publicUrl).hostname

export const createPasskeyChallenge = () => randomBytes(32).toString('base64url')

const isPasskey = ({ kind }: FactorRecord) => kind === 'passkey'
const toCredentialDescriptor = ({ credential_id, transports }: FactorRecord) => ({
  id: credential_id ?? '',
  transports: transports ? transports.split(',') : [],
})

/** Returns the options for the browser, or null if the user has no passkey. */
export function buildPasskeyRequest(
  config: PublicUrlConfig,
  factors: readonly FactorRecord[],
  challenge: string,
): RequestOptions | null {
  const allowCredentials = factors
    .filter(isPasskey)
    .map((factor) => ({ ...toCredentialDescriptor(factor), type: 'public-key' as const }))
  if (allowCredentials.length === 0) return null
  const options = {
    challenge,
    timeout: timeoutMs,
    rpId: getRelyingPartyId(config),
    userVerification: 'preferred' as const,
  }
  return { ...options, allowCredentials }
}

export interface PasskeySignature {
  factorId: number
  counter: number
}

/** Returns null unless one of these passkeys made the assertion for this challenge and address. */
export async function checkPasskeyAssertion(
  config: PublicUrlConfig,
  factors: readonly FactorRecord[],
  { assertion, challenge }: { assertion: string; challenge: string },
): Promise<PasskeySignature | null> {
  const response = parseResponse(assertion)
  const factor = factors.find((candidate) => isPasskey(candidate) && candidate.credential_id === response?.id)
  if (!response || !factor) return null
  const { verifyAuthenticationResponse } = await loadLibrary()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: response as never,
      expectedChallenge: challenge,
      expectedOrigin: getOrigin(config),
      expectedRPID: getRelyingPartyId(config),
      credential: {
        id: factor.credential_id ?? '',
        publicKey: new Uint8Array(Buffer.from(factor.public_key ?? '', 'base64url')),
        counter: factor.counter ?? 0,
      },
      requireUserVerification: false,
    })
    return verified ? { factorId: factor.id, counter: authenticationInfo.newCounter } : null
  } catch {
    return null
  }
}

export async function buildPasskeyCreation(
  config: PublicUrlConfig,
  { userId, userName, email, companyCode }: UserCredential,
  { factors, challenge }: { factors: readonly FactorRecord[]; challenge: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadLibrary()
  return generateRegistrationOptions({
    rpName: 'Service portal',
    rpID: getRelyingPartyId(config),
    userName: `${email} (${companyCode})`,
    userDisplayName: userName,
    userID: new TextEncoder().encode(`user ${userId}`),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: factors.filter(isPasskey).map(toCredentialDescriptor),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
}

export type NewPasskey = Pick<FactorRecord, 'credential_id' | 'public_key' | 'counter' | 'transports'>

/** Returns null if the attestation was not made for this challenge and address. */
export async function checkPasskeyAttestation(
  config: PublicUrlConfig,
  { attestation, challenge }: { attestation: string; challenge: string },
): Promise<NewPasskey | null> {
  const response = parseResponse(attestation)
  if (!response) return null
  const { verifyRegistrationResponse } = await loadLibrary()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: getOrigin(config),
      expectedRPID: getRelyingPartyId(config),
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

function parseResponse(text: string): { id?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}
