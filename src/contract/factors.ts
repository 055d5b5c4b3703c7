/**
 * The second factor of a sign-in and its management. An `mfa_token` proves that its user entered the password or a factor a moment ago; it
 * is valid for minutes. All endpoints are online only, and no response is stored.
 */
import * as z from 'zod/mini'
import { defineEndpoint } from '#contract/endpoint.ts'
import { nameLine, ref, rowId, text, timestamp } from '#contract/values.ts'

const method = z.enum(['password', 'otp', 'assertion', 'recovery_code'])
export type ProofMethod = z.output<typeof method>
const kind = z.enum(['totp', 'passkey'])
export type FactorKind = z.output<typeof kind>

const mfaToken = text(200, 1)

/** Options for `navigator.credentials.get`, as JSON. */
const requestOptions = z.object({
  challenge: z.string(),
  timeout: z.int(),
  rpId: z.string(),
  userVerification: z.literal('preferred'),
  allowCredentials: z.array(
    z.object({ id: z.string(), type: z.literal('public-key'), transports: z.array(z.string()) }),
  ),
})
export type RequestOptions = z.output<typeof requestOptions>

const proofFields = {
  mfa_token: z.string(),
  /** In seconds. */
  expires_in: z.int(),
  methods: z.array(method),
  /** Data for the method `assertion`. */
  passkey: z.nullable(requestOptions),
}

/** Data of MFA_REQUIRED: the accepted methods, or that a factor must be set up first. */
export const secondStep = z.object({
  ...proofFields,
  /** True if a factor is required but none is set up. The `mfa_token` is then used to set up a factor, which also completes the sign-in. */
  enrol: z.boolean(),
})
export type SecondStep = z.output<typeof secondStep>

const factor = z.object({
  id: z.int(),
  kind,
  name: z.string(),
  create_time: timestamp,
  last_time: z.nullable(timestamp),
})
export type EnrolledFactor = z.output<typeof factor>

const requirement = z.nullable(z.enum(['provider', 'company']))

export const getFactors = defineEndpoint({
  name: 'getFactors',
  method: 'GET',
  path: '/api/m18s/mfa',
  summary: "Returns the caller's second factors, the number of unused recovery codes, and whether a factor is required",
  access: 'user',
  matrix: 'Z-07',
  output: z.object({
    factors: z.array(factor),
    recovery_codes: z.int(),
    required: requirement,
    company_required: z.boolean(),
  }),
  offline: 'online',
})

export const beginProof = defineEndpoint({
  name: 'beginProof',
  method: 'POST',
  path: '/api/m18s/mfa/begin',
  summary: "Starts a change of second factors and returns the methods that verify the caller's identity",
  access: 'user',
  matrix: 'Z-07',
  output: z.object(proofFields),
  offline: 'online',
  secret: true,
})

export const proveSelf = defineEndpoint({
  name: 'proveSelf',
  method: 'POST',
  path: '/api/m18s/mfa/prove',
  summary: "Verifies the caller's identity with the password or a factor, so that the mfa_token may change factors",
  access: 'user',
  matrix: 'Z-07',
  body: z.object({
    mfa_token: mfaToken,
    password: z.optional(text(1000)),
    otp: z.optional(text(20)),
    assertion: z.optional(text(10_000)),
    recovery_code: z.optional(text(50)),
  }),
  output: null,
  offline: 'online',
  secret: true,
})

export const confirmPassword = defineEndpoint({
  name: 'confirmPassword',
  method: 'POST',
  path: '/api/m18s/mfa/password',
  summary: 'Checks the password and allows calls that need it (STEP_UP_REQUIRED) in this session for five minutes',
  access: 'user',
  matrix: 'Z-07',
  body: z.object({ password: text(1000, 1) }),
  output: null,
  offline: 'online',
  secret: true,
})

const setUpBody = z.object({ mfa_token: mfaToken, kind })
const setUpOutput = z.object({
  /** The secret in base32, and the address for the QR code that contains it. */
  totp: z.nullable(z.object({ secret: z.string(), uri: z.string() })),
  /** Options for `navigator.credentials.create`, as JSON. */
  passkey: z.nullable(z.record(z.string(), z.unknown())),
})
const addBody = z.object({
  mfa_token: mfaToken,
  kind,
  name: nameLine(60, 1),
  otp: z.optional(text(20)),
  attestation: z.optional(text(20_000)),
})
/** The codes are returned only once. Null if the user already has some. */
const addOutput = z.object({ recovery_codes: z.nullable(z.array(z.string())) })

export const setUpFactor = defineEndpoint({
  name: 'setUpFactor',
  method: 'POST',
  path: '/api/m18s/mfa/setup',
  summary: 'Starts the setup of a second factor and returns the secret of an authenticator app or the passkey options',
  access: 'user',
  matrix: 'Z-07',
  body: setUpBody,
  output: setUpOutput,
  offline: 'online',
  secret: true,
})

export const addFactor = defineEndpoint({
  name: 'addFactor',
  method: 'POST',
  path: '/api/m18s/mfa/factor',
  summary: 'Adds a second factor after checking its first code or the attestation of the passkey',
  access: 'user',
  matrix: 'Z-07',
  body: addBody,
  output: addOutput,
  offline: 'online',
  secret: true,
})

export const removeFactor = defineEndpoint({
  name: 'removeFactor',
  method: 'POST',
  path: '/api/m18s/mfa/remove',
  summary: 'Removes a second factor, unless it is the last one and one is required (LAST_FACTOR)',
  access: 'user',
  matrix: 'Z-07',
  body: z.object({ mfa_token: mfaToken, id: rowId }),
  output: null,
  offline: 'online',
  secret: true,
})

export const renameFactor = defineEndpoint({
  name: 'renameFactor',
  method: 'PUT',
  path: '/api/m18s/mfa/factor',
  summary: "Renames one of the caller's second factors",
  access: 'user',
  matrix: 'Z-07',
  body: z.object({ id: rowId, name: nameLine(60, 1) }),
  output: null,
  offline: 'online',
  secret: true,
})

export const renewRecoveryCodes = defineEndpoint({
  name: 'renewRecoveryCodes',
  method: 'POST',
  path: '/api/m18s/mfa/recovery',
  summary: 'Creates new recovery codes and invalidates the previous ones',
  access: 'user',
  matrix: 'Z-07',
  body: z.object({ mfa_token: mfaToken }),
  output: z.object({ recovery_codes: z.array(z.string()) }),
  offline: 'online',
  secret: true,
})

export const requireFactor = defineEndpoint({
  name: 'requireFactor',
  method: 'PUT',
  path: '/api/m18s/mfa/company',
  summary: "Makes a second factor required or optional for all users of the caller's company",
  access: 'admin',
  matrix: 'Z-09',
  body: z.object({ mfa_token: mfaToken, required: z.boolean() }),
  output: null,
  offline: 'online',
  secret: true,
})

export const getUserFactors = defineEndpoint({
  name: 'getUserFactors',
  method: 'GET',
  path: '/api/m18s/user/:id/mfa',
  summary: 'Returns how many second factors another user of the company has, and whether one is required',
  access: 'admin',
  matrix: 'Z-10',
  params: z.object({ id: ref('user') }),
  output: z.object({ factors: z.int(), required: requirement }),
  offline: 'online',
})

export const resetUserFactors = defineEndpoint({
  name: 'resetUserFactors',
  method: 'POST',
  path: '/api/m18s/user/:id/mfa/reset',
  summary: 'Removes all second factors of another user of the company and ends all sessions of that user',
  access: 'admin',
  matrix: 'Z-10',
  params: z.object({ id: ref('user') }),
  body: z.object({ mfa_token: mfaToken }),
  output: null,
  offline: 'online',
  secret: true,
})

export const setUpFirstFactor = defineEndpoint({
  name: 'setUpFirstFactor',
  method: 'POST',
  path: '/public/mfa/setup',
  summary: 'Starts the setup of a required second factor during a login, with the mfa_token of the password step',
  access: 'anybody',
  matrix: 'Z-01',
  body: setUpBody,
  output: setUpOutput,
  offline: 'online',
  secret: true,
})

export const addFirstFactor = defineEndpoint({
  name: 'addFirstFactor',
  method: 'POST',
  path: '/public/mfa/factor',
  summary: 'Adds the required second factor during a login, which the same mfa_token then completes',
  access: 'anybody',
  matrix: 'Z-01',
  body: addBody,
  output: addOutput,
  offline: 'online',
  secret: true,
})
