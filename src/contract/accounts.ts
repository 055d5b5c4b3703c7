/** Signing in and out, the own account, the company, existence queries. */
import * as z from 'zod/mini'
import { defineEndpoint, type VersionedRow } from '#contract/endpoint.ts'
import { assetRef, currency, exists, line, randomId, ref, text, timestamp } from '#contract/values.ts'
import { language, title, userRow } from '#contract/users.ts'

export const tokenResponse = z.object({
  access_token: z.string(),
  token_type: z.string(),
  /** `cookie` where an HttpOnly cookie holds it (K-10). */
  refresh_token: z.string(),
  expires_in: z.int(),
  /** How long the session can still be renewed, seconds. */
  refresh_expires_in: z.optional(z.int()),
  user_id: z.int(),
  /** SHA-256 of the access token, in hex: a device shows it with its next renewal (decision 69). */
  access_hash: z.optional(z.string()),
})
export type TokenResponse = z.output<typeof tokenResponse>

/** Beside UNAUTHORIZED where nobody ended the session. lapsed: its time is over · missing: the browser sent no refresh token. */
export interface UnauthorizedDetails {
  why: 'lapsed' | 'missing'
}

/** Names the client and protects nothing (D85). */
export const clientCredential = 'saas-web:public'

export const grantToken = defineEndpoint({
  name: 'grantToken',
  method: 'POST',
  path: '/api/m18s/token',
  summary: 'Sign in with company:e-mail and password, give the second factor, or renew a session',
  access: 'anybody',
  matrix: 'Z-01',
  body: z.object({
    grant_type: z.enum(['password', 'refresh_token', 'mfa']),
    scope: z.optional(text(20)),
    username: z.optional(text(300)),
    password: z.optional(text(1000)),
    refresh_token: z.optional(text(200)),
    access_token: z.optional(text(200)),
    /** Of MFA_REQUIRED, with one of the three below. */
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
  summary: 'End this session on the server, by bearer token or refresh cookie',
  // The refresh cookie alone is enough (protocol 29), so the call itself sees to who is asking.
  access: 'anybody',
  matrix: 'Z-02',
  output: null,
  offline: 'online',
  secret: true,
})

/** 32 bytes, base64url. 0 names the account's first key, which sessions had before each got its own. */
const sealKey = z.object({ id: z.int(), key: z.string() })

/** Ids of sealing keys: whole numbers divided by commas, 50 at most. */
const sealKeyIds = z.string().check(z.regex(/^(0|[1-9]\d{0,14})(,(0|[1-9]\d{0,14})){0,49}$/))
export const maxSealKeys = 50

export const getUser = defineEndpoint({
  name: 'getUser',
  method: 'GET',
  path: '/api/m18s/user',
  summary: 'A user: oneself, or for an admin one of the own company',
  access: 'user',
  matrix: 'Z-03',
  query: z.object({
    userId: z.optional(ref('user')),
    /** Of oneself: which of the older keys come along in `seal_keys`. Asked by a direct call, whose answer no device stores. */
    seals: z.optional(sealKeyIds),
  }),
  output: z.object({
    ...userRow.shape,
    /** Key 0, which builds of the client before session_seal_key seal with. Null, as the next one: it is not oneself. */
    seal_key: z.nullable(z.string()),
    /** The newest: of the session that asks. Under this one its device seals. */
    session_seal_key: z.nullable(sealKey),
    /** Those of `seals` that are the user's and have not been deleted, by id. */
    seal_keys: z.array(sealKey),
    /** Of who is not activated yet, for their admin: the link of the latest mail. Null: none was sent that still counts. */
    invitation: z.nullable(z.object({ until: timestamp, works: z.boolean() })),
  }),
  offline: 'read',
})

// As ending a session: repeated it changes nothing, and it waits in no idempotency store and no worker.
export const deleteSealKeys = defineEndpoint({
  name: 'deleteSealKeys',
  method: 'DELETE',
  path: '/api/m18s/user/seal-keys',
  summary: 'Delete own sealing keys that nothing is sealed under any more',
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
  summary: 'What the client must know of this installation',
  access: 'user',
  matrix: 'Z-15',
  output: z.object({
    time_zone: z.string(),
    uat_bound: z.enum(['floor', 'ceiling']),
    currencies: z.array(currency),
    /**
     * `stripe_key`: for Stripe's card fields. `card_frame`: of the demo, the sandbox's page with card fields. Neither: cards are asked
     * for on the gateway's own page. `types`: what is set up (domain/payments).
     */
    payment: z.object({
      stripe_key: z.nullable(z.string()),
      /** Not in the response of an older build. */
      card_frame: z.optional(z.nullable(z.string())),
      alipay: z.boolean(),
      types: z.array(z.string()),
    }),
    build: z.string(),
    minimum_build: z.string(),
    worker_bypass: z.boolean(),
  }),
  offline: 'read',
})

const ownFields = z.object({ name: line(100), title, avatar: z.nullable(randomId), language })

export const updateOwnUser = defineEndpoint({
  name: 'updateOwnUser',
  method: 'PUT',
  path: '/api/m18s/user/:id',
  summary: 'Change the own profile',
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
  summary: 'Store an image: PNG, JPEG or WebP under 2 MB',
  access: 'user',
  matrix: 'Z-05',
  body: z.object({ avatar: z.unknown() }),
  encoding: 'multipart',
  output: z.object({ id: randomId }),
  // Recorded by the page and sent by the drain, never as a page's upload through the worker (protocol 22).
  offline: 'queue',
})

export const changePassword = defineEndpoint({
  name: 'changePassword',
  method: 'POST',
  path: '/api/m18s/password',
  summary: 'Change the own password; all other sessions end',
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
  summary: "The own company's profile",
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
  summary: "Change the own company's profile; the code never",
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
  summary: 'Whether a code of a company (open to anybody, D57), order, module or automodule is taken',
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
  summary: 'Whether the own company has a user with this e-mail',
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
  summary: 'Whether a service code is taken by an order, in any company (D37)',
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
  summary: 'Whether a value stands in a field, for the pairs that may be asked',
  description: `\`true\` or \`false\`. Any other pair, condition or value of a condition is VALIDATION_ERROR (\`field\` or \`conds\`).

| resource | field | who | rows | conds |
| --- | --- | --- | --- | --- |
| user | email | user | of the own company, not deleted | not |
| user | name | user | of the own company, not deleted | not |
| module | code | provider admin | of the client type, not deleted | not, type |
| price | effective_date | provider admin | of the client type, not deleted | not, type |

\`conds\` is a query string of its own, encoded once more: \`not\` is the id of a row that does not count, \`type\` the client type
(saas where it is left out). Case and width of letters make no difference. Example:
\`/api/query/field?resource=module&field=code&value=crm&conds=not%3D7%26type%3Dsaas\``,
  access: 'user',
  matrix: 'Z-14',
  query: z.object({
    resource: text(40, 1),
    field: text(40, 1),
    value: text(200, 1),
    /** A query string of its own: `not`, the id of a row that does not count, and `type`, the client type. */
    conds: z.optional(text(500)),
  }),
  output: exists,
  offline: 'online',
})
