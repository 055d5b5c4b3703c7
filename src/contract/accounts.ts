import * as z from 'zod/mini'
import { defineEndpoint, type VersionedRow } from '#contract/endpoint.ts'
import { assetRef, currency, exists, line, randomId, ref, text, timestamp } from '#contract/values.ts'
import { language, title, userRow } from '#contract/users.ts'

export const tokenResponse = z.object({
  access_token: z.string(),
  token_type: z.string(),
  /** `cookie` if an HttpOnly cookie holds the token (K-10). */
  refresh_token: z.string(),
  expires_in: z.int(),
  /** How long the session can be renewed, in seconds. */
  refresh_expires_in: z.optional(z.int()),
  user_id: z.int(),
  /** SHA-256 of the access token in hex. A device sends it with its next renewal (decision 69). */
  access_hash: z.optional(z.string()),
})
export type TokenResponse = z.output<typeof tokenResponse>

/** Details of UNAUTHORIZED: the session has expired (`lapsed`), or the browser sent no refresh token. */
export interface UnauthorizedDetails {
  why: 'lapsed' | 'missing'
}

/** Identifies the client. It is public and protects nothing (D85). */
export const clientCredential = 'saas-web:public'

export const grantToken = defineEndpoint({
  name: 'grantToken',
  method: 'POST',
  path: '/api/m18s/token',
  summary: 'Logs in with company:e-mail and password, completes the login with a second factor, or renews a session',
  access: 'anybody',
  matrix: 'Z-01',
  body: z.object({
    grant_type: z.enum(['password', 'refresh_token', 'mfa']),
    scope: z.optional(text(20)),
    username: z.optional(text(300)),
    password: z.optional(text(1000)),
    refresh_token: z.optional(text(200)),
    access_token: z.optional(text(200)),
    /** The token from the data of MFA_REQUIRED. It is sent with one of the three fields below. */
    mfa_token: z.optional(text(200)),
    otp: z.optional(text(20)),
    assertion: z.optional(text(10_000)),
    recovery_code: z.optional(text(50)),
  }),
  encoding: 'form',
  output: tokenResponse,
  offline: 'online',
  secret: true,
})

export const signOut = defineEndpoint({
  name: 'signOut',
  method: 'POST',
  path: '/api/m18s/logout',
  summary: 'Ends the session of the bearer token or refresh cookie',
  // The refresh cookie alone is enough (protocol 29), so the use case checks the caller itself.
  access: 'anybody',
  matrix: 'Z-02',
  output: null,
  offline: 'online',
  secret: true,
})

/** A sealing key: 32 bytes in base64url. Id 0 is the account's first key, which sessions used before each session got its own key. */
const sealKey = z.object({ id: z.int(), key: z.string() })

const sealKeyIds = z.string().check(z.regex(/^(0|[1-9]\d{0,14})(,(0|[1-9]\d{0,14})){0,49}$/))
export const maxSealKeys = 50

export const getUser = defineEndpoint({
  name: 'getUser',
  method: 'GET',
  path: '/api/m18s/user',
  summary: 'Returns the caller or, for an admin, any user of the company',
  access: 'user',
  matrix: 'Z-03',
  query: z.object({
    userId: z.optional(ref('user')),
    /** Only for the caller: ids of older keys to return in `seal_keys`. Sent as a direct call, so it is never stored. */
    seals: z.optional(sealKeyIds),
  }),
  output: z.object({
    ...userRow.shape,
    /** Key 0, used by clients older than `session_seal_key`. This field and the next are null for other users. */
    seal_key: z.nullable(z.string()),
    /** The latest key, which belongs to the caller's session. The device seals with it. */
    session_seal_key: z.nullable(sealKey),
    /** The keys listed in `seals` that belong to the user and are not deleted, ordered by id. */
    seal_keys: z.array(sealKey),
    /** For admins: the latest invitation link of a user who is not activated. Null if no sent link is valid. */
    invitation: z.nullable(z.object({ until: timestamp, works: z.boolean() })),
    /** End of the consent under which the caller acts for a customer (decision 111). Otherwise omitted. */
    acting_until: z.optional(timestamp),
    /** Whether that consent allows changes (decision 116). */
    acting_changes: z.optional(z.boolean()),
  }),
  offline: 'read',
})

// Like logout: repeating it changes nothing. It bypasses the idempotency store and the service worker.
export const deleteSealKeys = defineEndpoint({
  name: 'deleteSealKeys',
  method: 'DELETE',
  path: '/api/m18s/user/seal-keys',
  summary: "Deletes the caller's sealing keys with the given ids, except those of active sessions",
  access: 'user',
  matrix: 'Z-03',
  query: z.object({ ids: sealKeyIds }),
  output: null,
  offline: 'online',
  secret: true,
})

export const getSettings = defineEndpoint({
  name: 'getSettings',
  method: 'GET',
  path: '/api/m18s/settings',
  summary: 'Returns the settings of this installation that a client needs',
  access: 'user',
  matrix: 'Z-15',
  output: z.object({
    time_zone: z.string(),
    uat_bound: z.enum(['floor', 'ceiling']),
    /** What a smaller contract does not use becomes credit (decision 124). Missing in responses of older builds. */
    credit_smaller_contracts: z.optional(z.boolean()),
    currencies: z.array(currency),
    /**
     * `stripe_key` is for Stripe's card fields. `card_frame` is the page with card fields of the demo sandbox. If both are null, the card
     * is entered on the gateway's own page. `types` lists the payment types that are set up (domain/payments).
     */
    payment: z.object({
      stripe_key: z.nullable(z.string()),
      /** Missing in responses of older builds. */
      card_frame: z.optional(z.nullable(z.string())),
      alipay: z.boolean(),
      types: z.array(z.string()),
      /** Currencies in which the provider has a bank account (decision 124). Missing in responses of older builds. */
      transferCurrencies: z.optional(z.array(currency)),
    }),
    build: z.string(),
    minimum_build: z.string(),
    worker_bypass: z.boolean(),
  }),
  offline: 'read',
})

/** Steps of a customer, then those of the provider. */
const setupStep = z.object({
  name: z.enum(['address', 'colleague', 'twoStep', 'contract', 'profile', 'prices', 'mail', 'payment', 'image']),
  /** `failed`: it is set up, but does not work at the moment. */
  state: z.enum(['open', 'done', 'failed']),
})
export type SetupStep = z.output<typeof setupStep>

/** The states follow from the data and the settings, and are not stored (decision 112). */
export const getSetup = defineEndpoint({
  name: 'getSetup',
  method: 'GET',
  path: '/api/m18s/setup',
  summary: 'Returns which of the first steps of a new company, or of a new provider, are done',
  access: 'admin',
  matrix: 'Z-08',
  /** `is_new`: the company is at most 90 days old, or there is no contract yet. `is_hidden`: the caller has hidden the steps. */
  output: z.object({ is_new: z.boolean(), is_hidden: z.boolean(), steps: z.array(setupStep) }),
  offline: 'read',
})

// Like a read mark: repeating it changes nothing, and the device sends it again until it has arrived.
export const hideSetup = defineEndpoint({
  name: 'hideSetup',
  method: 'PUT',
  path: '/api/m18s/setup',
  summary: 'Hides the first steps for the caller on all devices, or shows them again',
  access: 'admin',
  matrix: 'Z-08',
  body: z.object({ hidden: z.boolean() }),
  output: null,
  offline: 'online',
})

const ownFields = z.object({ name: line(100), title, avatar: z.nullable(randomId), language })

export const updateOwnUser = defineEndpoint({
  name: 'updateOwnUser',
  method: 'PUT',
  path: '/api/m18s/user/:id',
  summary: "Changes the caller's profile",
  access: 'user',
  matrix: 'Z-04',
  params: z.object({ id: ref('user') }),
  body: z.partial(z.extend(z.omit(ownFields, { title: true }), { avatar: z.nullable(assetRef) })),
  output: userRow,
  offline: 'queue',
  queue: {
    kind: 'user',
    table: 'users',
    target: ({ params }) => params.id,
    overlay: (row, { body }) => row && ({ ...row, ...body } as VersionedRow),
    versioned: true,
    merges: true,
  },
})

export const uploadAsset = defineEndpoint({
  name: 'uploadAsset',
  method: 'POST',
  path: '/api/m18s/asset',
  summary: 'Stores a PNG, JPEG or WebP image smaller than 2 MB',
  access: 'user',
  matrix: 'Z-05',
  body: z.object({ avatar: z.unknown() }),
  encoding: 'multipart',
  output: z.object({ id: randomId }),
  // The page puts the upload into the outbox, and the sender sends it. A page never uploads through the service worker (protocol 22).
  offline: 'queue',
})

export const changePassword = defineEndpoint({
  name: 'changePassword',
  method: 'POST',
  path: '/api/m18s/password',
  summary: "Changes the caller's password and ends all other sessions of the caller",
  access: 'user',
  matrix: 'Z-07',
  body: z.object({ orgPwd: text(1000), newPwd: text(1000) }),
  encoding: 'form',
  output: null,
  offline: 'online',
  secret: true,
})

const companyFields = {
  name: text(100),
  country: z.nullable(z.enum(['CN', 'HK'])),
  province: z.nullable(text(100)),
  city: z.nullable(text(100)),
  addr1: z.nullable(text(200)),
  addr2: z.nullable(text(200)),
  addr3: z.nullable(text(200)),
  tel: z.nullable(text(40)),
  email: z.nullable(text(254)),
  website: z.nullable(text(200)),
  tax_number: z.nullable(text(40)),
}

const companyInput = {
  ...companyFields,
  name: line(100),
  province: z.nullable(line(100)),
  city: z.nullable(line(100)),
  addr1: z.nullable(line(200)),
  addr2: z.nullable(line(200)),
  addr3: z.nullable(line(200)),
}

export const companyRow = z.object({ id: z.int(), code: z.string(), ...companyFields, row_version: z.int() })

export const getCompany = defineEndpoint({
  name: 'getCompany',
  method: 'GET',
  path: '/api/m18s/company/:id',
  summary: "Returns the profile of the caller's company",
  access: 'admin',
  matrix: 'Z-08',
  params: z.object({ id: ref('company') }),
  output: companyRow,
  offline: 'read',
})

export const updateCompany = defineEndpoint({
  name: 'updateCompany',
  method: 'PUT',
  path: '/api/m18s/company/:id',
  summary: "Changes the profile of the caller's company, except its code",
  access: 'admin',
  matrix: 'Z-09',
  params: z.object({ id: ref('company') }),
  body: z.partial(z.object(companyInput)),
  output: companyRow,
  offline: 'queue',
  queue: {
    kind: 'company',
    table: 'companies',
    target: ({ params }) => params.id,
    overlay: (row, { body }) => row && ({ ...row, ...body } as VersionedRow),
    versioned: true,
    merges: true,
  },
})

export const codeExists = defineEndpoint({
  name: 'codeExists',
  method: 'GET',
  path: '/api/query/code',
  summary: 'Returns whether the code of a company, order, module or automodule is taken; only company codes are public',
  access: 'anybody',
  matrix: 'Z-12',
  query: z.object({ code: text(100, 1), resource: text(40, 1) }),
  output: exists,
  offline: 'online',
})

export const userExists = defineEndpoint({
  name: 'userExists',
  method: 'GET',
  path: '/api/query/user',
  summary: "Returns whether the caller's company has a user with this e-mail address",
  access: 'user',
  matrix: 'Z-14',
  query: z.object({ code: text(254, 1), company: z.optional(text(20)) }),
  output: exists,
  offline: 'online',
})

export const orderExists = defineEndpoint({
  name: 'orderExists',
  method: 'GET',
  path: '/api/query/order',
  summary: 'Returns whether a service code is taken by an order of any company',
  access: 'user',
  matrix: 'Z-14',
  query: z.object({ code: text(100, 1) }),
  output: exists,
  offline: 'online',
})

export const fieldExists = defineEndpoint({
  name: 'fieldExists',
  method: 'GET',
  path: '/api/query/field',
  summary: 'Returns whether a value exists in a field, for the allowed pairs of resource and field',
  description: `Returns \`true\` or \`false\`. Any other pair, condition or value of a condition is a VALIDATION_ERROR (\`field\` or \`conds\`).

| resource | field | access | searched rows | conds |
| --- | --- | --- | --- | --- |
| user | email | user | users of the caller's company, not deleted | not |
| user | name | user | users of the caller's company, not deleted | not |
| module | code | provider admin | modules of the client type, not deleted | not, type |
| price | effective_date | provider admin | price lists of the client type, not deleted | not, type |

\`conds\` is a separate query string, which is URL-encoded as a whole: \`not\` is the id of a row to ignore, and \`type\` is the
client type (default: saas). For names, e-mail addresses and codes, upper and lower case and the width of letters do not matter. Example:
\`/api/query/field?resource=module&field=code&value=crm&conds=not%3D7%26type%3Dsaas\``,
  access: 'user',
  matrix: 'Z-14',
  query: z.object({
    resource: text(40, 1),
    field: text(40, 1),
    value: text(200, 1),
    /** A nested query string with `not`, the id of a row to ignore, and `type`, the client type. */
    conds: z.optional(text(500)),
  }),
  output: exists,
  offline: 'online',
})
