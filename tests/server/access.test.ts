/**
 * Every row of the table, asked by every role for an own, a foreign and a missing id (Z-01 to Z-36, S-49, S-53). What is
 * expected is worked out from the row itself and from the matrix, so a new endpoint is walked without a new line here.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import type { Who } from '#domain/access.ts'
import type { Endpoint, Kind, Schema, Shape } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { refKind } from '#contract/values.ts'
import { handlersOf } from '#server/composition/app.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { type Market, openMarket, wish } from '#tests/support/orders/shop-data.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { type Send, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { canaries, type Role, roles } from '#tests/support/server/world.ts'

let server: TestServer
let market: Market
let host: LocalUnderTest
const people = {} as Record<Exclude<Role, 'A'>, SignedIn>
beforeAll(async () => {
  server = await startServer()
  host = openLocalHosting()
  server.app.hosting = host.driver
  market = await openMarket(server)
  for (const [role, who] of Object.entries(roles))
    if (who) people[role as Exclude<Role, 'A'>] = await server.signIn(who)
}, 120_000)
afterAll(() => Promise.all([server.close(), host.end()]))

/** The matrix of the checklist: which roles each rule lets in. */
const allowed: Record<Who, readonly Role[]> = {
  anybody: ['A', 'U', 'O', 'C', 'S', 'P', 'D'],
  user: ['U', 'O', 'C', 'S', 'P', 'D'],
  admin: ['C', 'P', 'D'],
  trail: ['C', 'P', 'D'],
  order: ['O'],
  providerAdmin: ['P', 'D'],
  deleteLevel: ['D'],
  providerOrder: ['P', 'D'],
  orderOrProviderAdmin: ['O', 'P', 'D'],
}

const built = new Set(handlersOf({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint.name))

type Whose = 'own' | 'foreign' | 'missing'

/** Whose own record is the caller's. */
const selfOnly = new Set(['getUser', 'updateOwnUser'])

/** The id that a reference of that kind is given. Kinds whose rows nobody can make yet have no ids of their own. */
function idFor(endpoint: Endpoint, kind: Kind, whose: Whose, role: Role): number {
  const company = ['S', 'P', 'D'].includes(role) ? 'm18' : 'alpha'
  if (whose === 'missing') return 2_000_000_000
  if (kind === 'company') return server.world.companies[whose === 'own' ? company : 'beta']
  if (kind === 'user' && whose === 'own' && selfOnly.has(endpoint.name)) return role === 'A' ? 1 : people[role].userId
  if (kind === 'user') return server.world.users[whose === 'own' ? `waiting@${company}` : 'waiting@beta'] ?? 0
  const order = market.orders[company === 'm18' || whose === 'foreign' ? 'beta' : 'alpha']
  if (kind === 'order') return order.id
  if (kind === 'contract') return order.contract_id
  if (kind === 'service') return order.service_id
  if (kind === 'price') return market.lists[0] ?? 0
  if (kind === 'module') return market.moduleId
  return 1
}

/** What all companies share: there is no foreign one of these. */
const sharedKinds: readonly Kind[] = ['price', 'module']

/** Services are the customers': the provider's admins run all of them (Z-26, Z-27), and their backups. */
const ofAllCompanies = ({ path, who }: Endpoint, role: Role) =>
  ['P', 'D'].includes(role) && (path.startsWith('/api/aws/') || (path.startsWith('/api/pdb/') && who !== 'order'))
/** Whose path names a row by a number that no write makes. */
const numbered = new Set(['refundPaymentTask', 'applyPaymentTask'])
/** Narrows what is shown: of a company that is not there, nothing is. */
const narrows = new Set(['listServices', 'recheckServices'])
/** Before its contract is over a service is deleted by the delete level alone (D41). */
const mayNotYet = (endpoint: Endpoint, role: Role) => endpoint.name === 'deleteService' && role !== 'D'

const bodies: Record<string, unknown> = {
  createUser: { title: 0, name: 'Walk', email: 'x' },
  updateCompanyUser: {},
  updateOwnUser: {},
  updateCompany: {},
  changePassword: { orgPwd: 'x', newPwd: 'y' },
  sendBatch: [],
  resetUserFactors: { mfa_token: 'x' },
  verifyTrail: { companyId: null },
  keepTrail: { companyId: null, dateFrom: '2026-03-01', dateTo: '2026-03-02' },
  createModule: { name: 'Walk' },
  updateModule: {},
  createPriceList: { type: 'saas', effective_date: '2026-07-01', desc: 'Walk' },
  updatePriceList: { id: 1 },
  rehearsePriceList: { id: 1 },
  createOrder: { ...wish, code: 'walk' },
  setAlertDate: { id: 1, alert_date: null },
  calculate: wish,
  reconcilePayments: {},
  refundPaymentTask: {},
  applyPaymentTask: {},
  changeContract: { type: 'change', contract_id: 1 },
  undoChange: {},
  exportPriceList: { id: 1 },
  validateModules: ['core'],
  importPriceList: { md5: '0'.repeat(32) },
  orderBackup: { service_id: 2_000_000_000, pdb_type: 'pdb2s3', period: 1, period_type: 'year' },
  disableTraffic: { disabled: true },
  backUp: { service_id: 2_000_000_000, pdb_type: 'pdb2s3' },
  restoreBackup: { backup_id: 2_000_000_000, service_id: 2_000_000_000 },
  publishApps: { modules: ['0'.repeat(32)] },
}

const queries: Record<string, string> = {
  codeExists: 'code=x&resource=company',
  checkReset: 'otk=x',
  userExists: 'code=x',
  orderExists: 'code=x',
  fieldExists: 'resource=user&field=email&value=x',
  getModuleRelations: 'code=core',
  deleteSealKeys: 'ids=1',
  trailRange: 'dateFrom=2026-03-01&dateTo=2026-03-02',
  exportTrail: 'format=csv',
  configureService: 'task_runtime_memory=0&task_desire_count=1',
}

function requestFor(endpoint: Endpoint, whose: Whose, role: Role) {
  const params = fieldsOf(endpoint.params)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const kind = refKind(params[name] ?? ({} as Schema))
    return kind ? String(idFor(endpoint, kind, whose, role)) : numbered.has(endpoint.name) ? '1' : 'abcdefgh'
  })
  const refs = Object.entries(fieldsOf(endpoint.query)).flatMap(([name, schema]) => {
    const kind = refKind(schema)
    return kind ? [`${name}=${idFor(endpoint, kind, whose, role)}`] : []
  })
  const query = [...refs, ...(queries[endpoint.name] ? [queries[endpoint.name]] : [])].join('&')
  const payload = bodies[endpoint.name]
  return {
    method: endpoint.method,
    url: query ? `${path}?${query}` : path,
    ...(payload === undefined ? {} : { payload: payload as object }),
  }
}

const fieldsOf = (shape: Shape | undefined): Record<string, Schema> => (shape?.shape ?? {}) as Record<string, Schema>

const kindsIn = (endpoint: Endpoint) =>
  [...Object.values(fieldsOf(endpoint.params)), ...Object.values(fieldsOf(endpoint.query))].flatMap(
    (schema) => refKind(schema) ?? [],
  )

function whoseOf(endpoint: Endpoint): Whose[] {
  const kinds = kindsIn(endpoint)
  if (kinds.length === 0) return ['own']
  return kinds.every((kind) => sharedKinds.includes(kind)) ? ['own', 'missing'] : ['own', 'foreign', 'missing']
}

describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_, endpoint) => {
    const isBuilt = built.has(endpoint.name)

    test.each(Object.keys(roles) as Role[])(
      `answers %s as the matrix says (${endpoint.matrix}; S-50)`,
      async (role) => {
        for (const whose of whoseOf(endpoint)) {
          const send = await senderFor(role)
          await freeServices()
          const answer = await send(requestFor(endpoint, whose, role))
          const isJson = String(answer.headers['content-type']).startsWith('application/json')
          const code = isJson ? answer.json().errorCode : null
          const seen = `${whose}: ${answer.statusCode} ${code ?? ''}`
          expect(seen).toMatch(expected(endpoint, role, whose))
          const own = ['S', 'P', 'D'].includes(role) ? 'm18' : 'alpha'
          for (const company of ['alpha', 'beta', 'm18'] as const)
            if ((company !== own || role === 'A') && !ofAllCompanies(endpoint, role))
              expect(answer.body).not.toContain(canaries[company])
        }
      },
    )

    /** Signing out ends a session of its own, or the walk would end here for that role. */
    async function senderFor(role: Role): Promise<Send> {
      if (role === 'A') return server.send
      return endpoint.name === 'signOut' ? (await server.signIn(roles[role])).send : people[role].send
    }

    function expected(row: Endpoint, role: Role, whose: Whose): RegExp {
      if (!allowed[row.who].includes(role)) return role === 'A' ? /401 UNAUTHORIZED/ : /403 FORBIDDEN/
      if (!isBuilt) return /501 NOT_SUPPORT/
      if (row.name === 'signOut') return role === 'A' ? /401 UNAUTHORIZED/ : /204/
      // Whoever has nothing to come back to is sent to the list.
      if (row.name === 'returnFromPayment') return /: 303/
      const isAbsent = whose === 'missing' && !(narrows.has(row.name) && ofAllCompanies(row, role))
      if (isAbsent || (whose === 'foreign' && !ofAllCompanies(row, role))) return /404 (USER_NOT_EXIST|NOT_FOUND)/
      if (mayNotYet(row, role)) return /: 403 FORBIDDEN/
      if (row.method === 'GET' && kindsIn(row).length > 0) return /: 200/
      return /: (2\d\d|4(00|09|15|22|04)|401 (invalid_client|MFA_EXPIRED)) ?/
    }

    if (endpoint.who === 'anybody') return
    test('lets in neither an expired token nor one of an ended session (M59)', async () => {
      const send = (access: string) =>
        server.send({ ...requestFor(endpoint, 'own', 'C'), headers: { authorization: `Bearer ${access}` } })
      const { access } = await expiredToken()
      expect((await send(access)).json().errorCode).toBe('TOKENEXPIRED')
      expect((await send(access.replace(/.$/, '_'))).json().errorCode).toMatch(/UNAUTHORIZED/)
      expect((await send((await disabledToken()).access)).json().errorCode).toBe('UNAUTHORIZED')
    })
  },
)

/** What the row before has begun is worked off by nobody here, and holds its service. */
const freeServices = () =>
  pastPolicies(server.app.database, async (db) => {
    await sql`update service set operation = null`.execute(db)
    await sql`delete from job where kind like '%-service%'`.execute(db)
  })

let expired: SignedIn | undefined
async function expiredToken(): Promise<SignedIn> {
  if (expired) return expired
  expired = await server.signIn('second@alpha')
  const { userId } = expired
  await inTransaction(server.app, { role: 'portal_system' }, (db) =>
    sql`update token set access_until = ${server.clock.now} where user_id = ${userId}`.execute(db),
  )
  return expired
}

let disabled: SignedIn | undefined
async function disabledToken(): Promise<SignedIn> {
  if (disabled) return disabled
  disabled = await server.signIn('second@beta')
  await inTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .updateTable('portal_user')
      .set({ status: -1 })
      .where('id', '=', disabled?.userId ?? 0)
      .execute(),
  )
  return disabled
}
