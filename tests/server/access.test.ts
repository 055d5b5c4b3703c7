/**
 * Calls every endpoint of the contract as every role: with the id of a row of the caller's company, of another company, and of no row (Z-01
 * to Z-36, S-49, S-53). The expected response is derived from the endpoint and the matrix, so a new endpoint is tested without a change
 * here.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import type { AccessRule } from '#domain/access.ts'
import type { Endpoint, RowKind, ValueSchema, ObjectSchema } from '#contract/endpoint.ts'
import { endpoints } from '#contract/index.ts'
import { getRefKind } from '#contract/values.ts'
import { createHandlers } from '#server/composition/app.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { type ShopData, openShopWithOrders, orderInput } from '#tests/support/orders/shop-data.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { type Send, type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { canaries, type Role, roles } from '#tests/support/server/world.ts'

let server: TestServer
let shopData: ShopData
let host: LocalUnderTest
const usersByRole = {} as Record<Exclude<Role, 'A'>, SignedIn>
beforeAll(async () => {
  server = await startServer()
  host = openLocalHosting()
  server.app.hosting = host.driver
  shopData = await openShopWithOrders(server)
  for (const [role, userName] of Object.entries(roles))
    if (userName) usersByRole[role as Exclude<Role, 'A'>] = await server.signIn(userName)
}, 120_000)
afterAll(() => Promise.all([server.close(), host.end()]))

/** The access matrix of the checklist: the roles that each rule allows. */
const allowedRoles: Record<AccessRule, readonly Role[]> = {
  anybody: ['A', 'U', 'O', 'C', 'S', 'P', 'D'],
  user: ['U', 'O', 'C', 'S', 'P', 'D'],
  admin: ['C', 'P', 'D'],
  trail: ['C', 'P', 'D'],
  order: ['O'],
  providerAdmin: ['P', 'D'],
  deleteLevel: ['D'],
  providerOrder: ['P', 'D'],
  // No role of the matrix is staff with the order flag. A test of its own calls these endpoints as such a user.
  staffOrder: [],
  // As above. Its tests are those of the refunds.
  orderingProviderAdmin: [],
  orderOrProviderAdmin: ['O', 'P', 'D'],
}

const builtEndpoints = new Set(
  createHandlers({ build: { build: 'test', styleNonce: '' } }).map(({ endpoint }) => endpoint.name),
)

type Ownership = 'own' | 'foreign' | 'missing'

/** Endpoints that accept only the id of the caller among the users of the company. */
const selfOnlyEndpoints = new Set(['getUser', 'updateOwnUser'])

/** Returns an id for a reference of this kind. Kinds without rows in this test get 1. */
function getRowId(endpoint: Endpoint, kind: RowKind, ownership: Ownership, role: Role): number {
  const company = ['S', 'P', 'D'].includes(role) ? 'm18' : 'alpha'
  if (ownership === 'missing') return 2_000_000_000
  if (kind === 'company') return server.world.companies[ownership === 'own' ? company : 'beta']
  if (kind === 'user' && ownership === 'own' && selfOnlyEndpoints.has(endpoint.name))
    return role === 'A' ? 1 : usersByRole[role].userId
  if (kind === 'user') return server.world.users[ownership === 'own' ? `waiting@${company}` : 'waiting@beta'] ?? 0
  const order = shopData.orders[company === 'm18' || ownership === 'foreign' ? 'beta' : 'alpha']
  if (kind === 'order') return order.id
  if (kind === 'contract') return order.contract_id
  if (kind === 'service') return order.service_id
  if (kind === 'price') return shopData.priceListIds[0] ?? 0
  if (kind === 'module') return shopData.moduleId
  return 1
}

/** Kinds of rows that all companies share, so no such row belongs to another company. */
const sharedKinds: readonly RowKind[] = ['price', 'module']

/**
 * Returns true if the endpoint accepts rows of every company: services and their backups belong to the customers, and the provider's admins
 * operate all of them (Z-26, Z-27). They also read the customers and their users (decision 107).
 */
const coversAllCompanies = ({ name, path, access }: Endpoint, role: Role) =>
  ['P', 'D'].includes(role) &&
  (path.startsWith('/api/aws/') ||
    path.startsWith(customerPath) ||
    name === 'listUsers' ||
    (path.startsWith('/api/pdb/') && access !== 'order'))

/** The first number of such a path is the id of a customer. */
const customerPath = '/api/customer'
const isRead = (endpoint: Endpoint) =>
  endpoint.method === 'GET' && (getRowKinds(endpoint).length > 0 || endpoint.path.startsWith(customerPath))

/** Endpoints whose path contains a row number that no write of this test creates. */
const endpointsWithNumber = new Set([
  'refundPaymentTask',
  'applyPaymentTask',
  'refundInvoice',
  'settleRefundTask',
  'withdrawRefund',
  'creditBankTransfer',
  'closeBankTransfer',
  'correctBankTransfer',
  'updateCustomerNote',
  'deleteCustomerNote',
  // Ends the consent of `giveConsent`, so that no session of a role acts for a customer.
  'revokeConsent',
])
/** Endpoints in which the id is only a filter. For a company that does not exist they return an empty list. */
const filterEndpoints = new Set(['listServices', 'recheckServices'])
/** Returns true if the role may not delete the service yet: before its contract has ended, only the delete level may (D41). */
const isDeletionTooEarly = (endpoint: Endpoint, role: Role) => endpoint.name === 'deleteService' && role !== 'D'

const bodies: Record<string, unknown> = {
  giveConsent: { hours: 4 },
  createCustomerNote: { text: 'Walk' },
  updateCustomerNote: { text: 'Walk', row_version: 1 },
  createUser: { title: 0, name: 'Walk', email: 'x' },
  updateCompanyUser: {},
  updateOwnUser: {},
  updateCompany: {},
  changePassword: { orgPwd: 'x', newPwd: 'y' },
  sendBatch: [],
  resetUserFactors: { mfa_token: 'x' },
  verifyTrail: { companyId: null },
  keepTrail: { companyId: null, dateFrom: '2026-03-01', dateTo: '2026-03-02' },
  hideSetup: { hidden: true },
  createModule: { name: 'Walk' },
  updateModule: {},
  createPriceList: { type: 'saas', effective_date: '2026-07-01', desc: 'Walk' },
  updatePriceList: { id: 1 },
  rehearsePriceList: { id: 1 },
  createOrder: { ...orderInput, code: 'walk' },
  setAlertDate: { id: 1, alert_date: null },
  calculate: orderInput,
  reconcilePayments: {},
  refundPaymentTask: {},
  refundInvoice: { amount: '1.00', reason: 'Walk', route: 'gateway', refunded_before: '0.00', confirmation: 'walk' },
  settleRefundTask: {},
  runMoneyCheck: {},
  withdrawRefund: {},
  withdrawCredit: {
    company_id: 2_000_000_000,
    currency: 'HKD',
    amount: '1.00',
    balance_before: '1.00',
    reference: 'Walk',
    date: '2026-03-02',
    reason: 'Walk',
    confirmation: 'walk',
  },
  requestProforma: { items: [{ contractType: 'CONTRACT', id: 2_000_000_000 }] },
  recordBankTransfer: {
    day: '2026-03-01',
    currency: 'HKD',
    amount: '1.00',
    sender: 'Walk',
    reference: '',
    bank_reference: 'walk',
  },
  importStatement: { name: 'walk.csv', content: 'Date,Amount,Currency\n2026-03-01,1.00,HKD' },
  creditBankTransfer: { company_id: 1, items: [], row_version: 1 },
  closeBankTransfer: { state: 'dismissed', note: 'Walk', row_version: 1 },
  correctBankTransfer: { note: 'Walk', row_version: 1 },
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
  deleteCustomerNote: 'row_version=1',
  trailRange: 'dateFrom=2026-03-01&dateTo=2026-03-02',
  exportTrail: 'format=csv',
  configureService: 'task_runtime_memory=0&task_desire_count=1',
}

function buildRequest(endpoint: Endpoint, ownership: Ownership, role: Role) {
  const params = getFields(endpoint.params)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const kind = getRefKind(params[name] ?? ({} as ValueSchema))
    if (endpoint.path.startsWith(`${customerPath}/:${name}`)) return String(server.world.companies.alpha)
    return kind
      ? String(getRowId(endpoint, kind, ownership, role))
      : endpointsWithNumber.has(endpoint.name)
        ? '1'
        : 'abcdefgh'
  })
  const refs = Object.entries(getFields(endpoint.query)).flatMap(([name, schema]) => {
    const kind = getRefKind(schema)
    return kind ? [`${name}=${getRowId(endpoint, kind, ownership, role)}`] : []
  })
  const query = [...refs, ...(queries[endpoint.name] ? [queries[endpoint.name]] : [])].join('&')
  const payload = bodies[endpoint.name]
  return {
    method: endpoint.method,
    url: query ? `${path}?${query}` : path,
    ...(payload === undefined ? {} : { payload: payload as object }),
  }
}

const getFields = (shape: ObjectSchema | undefined): Record<string, ValueSchema> =>
  (shape?.shape ?? {}) as Record<string, ValueSchema>

const getRowKinds = (endpoint: Endpoint) =>
  [...Object.values(getFields(endpoint.params)), ...Object.values(getFields(endpoint.query))].flatMap(
    (schema) => getRefKind(schema) ?? [],
  )

function getOwnerships(endpoint: Endpoint): Ownership[] {
  const kinds = getRowKinds(endpoint)
  if (kinds.length === 0) return ['own']
  return kinds.every((kind) => sharedKinds.includes(kind)) ? ['own', 'missing'] : ['own', 'foreign', 'missing']
}

describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_, endpoint) => {
    const isBuilt = builtEndpoints.has(endpoint.name)

    test.each(Object.keys(roles) as Role[])(
      `responds to role %s as the access matrix requires (${endpoint.matrix}; S-50)`,
      async (role) => {
        for (const ownership of getOwnerships(endpoint)) {
          const send = await getSender(role)
          await resetServiceOperations()
          const response = await send(buildRequest(endpoint, ownership, role))
          const isJson = String(response.headers['content-type']).startsWith('application/json')
          const code = isJson ? response.json().errorCode : null
          const observedText = `${ownership}: ${response.statusCode} ${code ?? ''}`
          expect(observedText).toMatch(buildExpectedPattern(endpoint, role, ownership))
          const ownCompany = ['S', 'P', 'D'].includes(role) ? 'm18' : 'alpha'
          for (const company of ['alpha', 'beta', 'm18'] as const)
            if ((company !== ownCompany || role === 'A') && !coversAllCompanies(endpoint, role))
              expect(response.body).not.toContain(canaries[company])
        }
      },
    )

    /** Signing out uses a session of its own. Otherwise all later calls of that role would fail. */
    async function getSender(role: Role): Promise<Send> {
      if (role === 'A') return server.send
      return endpoint.name === 'signOut' ? (await server.signIn(roles[role])).send : usersByRole[role].send
    }

    function buildExpectedPattern(calledEndpoint: Endpoint, role: Role, ownership: Ownership): RegExp {
      if (!allowedRoles[calledEndpoint.access].includes(role))
        return role === 'A' ? /401 UNAUTHORIZED/ : /403 FORBIDDEN/
      if (!isBuilt) return /501 NOT_SUPPORT/
      if (calledEndpoint.name === 'signOut') return role === 'A' ? /401 UNAUTHORIZED/ : /204/
      // A browser without a payment to return to is redirected to the list.
      if (calledEndpoint.name === 'returnFromPayment') return /: 303/
      const isAbsent =
        ownership === 'missing' &&
        !(filterEndpoints.has(calledEndpoint.name) && coversAllCompanies(calledEndpoint, role))
      if (isAbsent || (ownership === 'foreign' && !coversAllCompanies(calledEndpoint, role)))
        return /404 (USER_NOT_EXIST|NOT_FOUND)/
      if (isDeletionTooEarly(calledEndpoint, role)) return /: 403 FORBIDDEN/
      if (isRead(calledEndpoint)) return /: 200/
      return /: (2\d\d|4(00|09|15|22|04)|401 (invalid_client|MFA_EXPIRED)) ?/
    }

    if (endpoint.method === 'GET' && ['providerOrder', 'staffOrder'].includes(endpoint.access))
      test('responds to staff with the order flag, and to no customer with it', async () => {
        const readStatus = async (userName: string) =>
          (await (await server.signIn(userName)).send(buildRequest(endpoint, 'own', 'P'))).statusCode
        expect(await Promise.all(['order@m18', 'order@alpha'].map(readStatus))).toEqual([200, 403])
      })

    if (endpoint.access === 'anybody') return
    test('rejects an expired token and the token of an ended session (M59)', async () => {
      const send = (accessToken: string) =>
        server.send({ ...buildRequest(endpoint, 'own', 'C'), headers: { authorization: `Bearer ${accessToken}` } })
      const { accessToken } = await getExpiredUser()
      expect((await send(accessToken)).json().errorCode).toBe('TOKENEXPIRED')
      expect((await send(accessToken.replace(/.$/, '_'))).json().errorCode).toMatch(/UNAUTHORIZED/)
      expect((await send((await getDisabledUser()).accessToken)).json().errorCode).toBe('UNAUTHORIZED')
    })
  },
)

/** Removes the operation that the previous case started on a service. No job runs here, so it would block the service. */
const resetServiceOperations = () =>
  bypassPolicies(server.app.database, async (db) => {
    await sql`update service set operation = null`.execute(db)
    await sql`delete from job where kind like '%-service%'`.execute(db)
  })

let expiredUser: SignedIn | undefined
async function getExpiredUser(): Promise<SignedIn> {
  if (expiredUser) return expiredUser
  expiredUser = await server.signIn('second@alpha')
  const { userId } = expiredUser
  await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    sql`update token set access_until = ${server.clock.now} where user_id = ${userId}`.execute(db),
  )
  return expiredUser
}

let disabledUser: SignedIn | undefined
async function getDisabledUser(): Promise<SignedIn> {
  if (disabledUser) return disabledUser
  disabledUser = await server.signIn('second@beta')
  await runInTransaction(server.app, { role: 'portal_system' }, (db) =>
    db
      .updateTable('portal_user')
      .set({ status: -1 })
      .where('id', '=', disabledUser?.userId ?? 0)
      .execute(),
  )
  return disabledUser
}
