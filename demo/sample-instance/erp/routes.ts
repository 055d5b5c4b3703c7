import { randomBytes } from 'node:crypto'
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import type { AppContent } from '#demo/sample-instance/erp/app-data.ts'
import {
  renderAppsPage,
  type MemoryUse,
  renderOverviewPage,
  renderUsersPage,
} from '#demo/sample-instance/erp/admin-pages.ts'
import { renderItemPage, renderItemsPage } from '#demo/sample-instance/erp/item-pages.ts'
import * as items from '#demo/sample-instance/erp/items.ts'
import { renderMessagePage, renderSignInPage, type TextKey } from '#demo/sample-instance/erp/pages.ts'
import { maxPasswordLength } from '#demo/sample-instance/erp/passwords.ts'
import {
  type InstanceResponse,
  type InstanceRequest,
  formatDeviceCookie,
  createPageResponse,
  createRedirect,
  formatSessionCookie,
} from '#demo/sample-instance/erp/requests.ts'
import type { SampleStore } from '#demo/sample-instance/storage/store.ts'
import * as users from '#demo/sample-instance/erp/users.ts'

export interface SampleContext {
  store: SampleStore
  apps: readonly AppContent[]
  memory: () => MemoryUse
  useMoreMemory: () => void
  log: LogWriter['write']
  /** Epoch ms. */
  clock: () => number
}

type SignedInRequest = InstanceRequest & { session: users.SampleSession }

/** Routes a request. Call this function only after the origin of the request was checked. */
export async function routeRequest(request: InstanceRequest, context: SampleContext): Promise<InstanceResponse> {
  const { path, site, method, view, session, form } = request
  if (path === '/sign-in')
    return method === 'POST' ? signIn(request, context) : createPageResponse(renderSignInPage(view, '', null))
  if (!session)
    return method === 'GET' ? createRedirect('/sign-in') : createPageResponse(renderMessagePage(view, 'refused'), 403)
  // The admin host has a separate session cookie, which users who are not administrators never get.
  if (site === 'admin' && session.user.is_admin !== 1)
    return createPageResponse(renderMessagePage(view, 'admins-only'), 403)
  if (method === 'POST' && !users.isSameToken(form.get('csrf') ?? '', session.csrf))
    return createPageResponse(renderMessagePage(view, 'refused'), 403)
  const signedInRequest = { ...request, session }
  if (method === 'POST' && path === '/sign-out') return signOut(signedInRequest, context)
  const response = await (site === 'admin'
    ? handleAdmin(signedInRequest, context)
    : handleItems(signedInRequest, context))
  return response ?? createPageResponse(renderMessagePage(view, 'not-found'), 404)
}

/** Log options of refused logins. Their priority is low, because anybody can cause these lines, with any user name. */
const refusalOptions = { priority: 'refusal' } as const

async function signIn(request: InstanceRequest, { store, log, clock }: SampleContext): Promise<InstanceResponse> {
  const { form, site, view, address, isSecure } = request
  const [name, password] = [form.get('user') ?? '', form.get('password') ?? '']
  const renderFormAgain = (status: number, fault: TextKey) =>
    createPageResponse(renderSignInPage(view, name, view.translate(fault)), status)
  if (!namePattern.test(name) || password.length > maxPasswordLength) return renderFormAgain(401, 'sign-in-refused')
  const device = request.device || randomBytes(32).toString('base64url')
  const result = await users.signIn(store, { name, password, address, device }, clock())
  if (result.kind === 'limited') {
    log('warn', `login of ${name} refused: too many attempts`, refusalOptions)
    const seconds = Math.ceil(result.waitMs / 1000)
    const fault = view.translate('sign-in-limited', { minutes: Math.ceil(seconds / 60) })
    return createPageResponse(renderSignInPage(view, name, fault), 429, { 'retry-after': String(seconds) })
  }
  if (result.kind === 'refused') {
    log('warn', `login of ${name} refused`, refusalOptions)
    return renderFormAgain(401, 'sign-in-refused')
  }
  if (site === 'admin' && result.user.is_admin !== 1) {
    await users.signOut(store, result.cookie)
    log('warn', `login of ${name} at the administration refused`)
    return renderFormAgain(403, 'admins-only')
  }
  log('info', `login of ${name}`)
  return createRedirect('/', {
    'set-cookie': [formatSessionCookie(result.cookie, isSecure), formatDeviceCookie(device, isSecure)],
  })
}

async function signOut(
  { cookie, session, isSecure }: SignedInRequest,
  { store, log }: SampleContext,
): Promise<InstanceResponse> {
  await users.signOut(store, cookie)
  log('info', `logout of ${session.user.name}`)
  return createRedirect('/sign-in', { 'set-cookie': formatSessionCookie('', isSecure) })
}

const namePattern = /^[A-Za-z0-9._-]{1,40}$/
const parseId = (path: string, pattern: RegExp) => {
  const [, id] = pattern.exec(path) ?? []
  return id === undefined ? null : Number(id)
}

async function handleItems(request: SignedInRequest, context: SampleContext): Promise<InstanceResponse | null> {
  const { method, path, query, view, otherSite } = { ...request, otherSite: request.view.otherSite }
  if (method === 'GET' && path === '/') return createRedirect('/items')
  if (method === 'GET' && path === '/admin') return createRedirect(`//${otherSite}/`)
  if (method === 'GET' && path === '/items') {
    const search = (query.get('search') ?? '').slice(0, 100)
    const pageIndex = Math.min(Math.max(0, Math.trunc(Number(query.get('page'))) || 0), 100_000)
    const itemPage = await items.findItems(context.store, search, pageIndex)
    return createPageResponse(renderItemsPage(view, itemPage, search, pageIndex))
  }
  if (path === '/items/new') return handleNewItem(request, context)
  const deletedId = method === 'POST' ? parseId(path, /^\/items\/(\d{1,12})\/delete$/) : null
  if (deletedId !== null) {
    await items.deleteItem(context.store, deletedId)
    return createRedirect('/items')
  }
  const id = parseId(path, /^\/items\/(\d{1,12})$/)
  return id === null ? null : handleItem(request, context, id)
}

const readItemFields = (form: URLSearchParams): items.ItemFields => {
  const text = (name: string) => (form.get(name) ?? '').trim()
  return { code: text('code'), name: text('name'), quantity: text('quantity'), unit: text('unit') }
}

async function handleNewItem(
  { method, form, view, session }: SignedInRequest,
  { store, clock }: SampleContext,
): Promise<InstanceResponse> {
  const fields = readItemFields(form)
  const renderForm = (fault: TextKey | null, status: number) =>
    createPageResponse(renderItemPage(view, session, { item: null, fields, fault }), status)
  if (method === 'GET') return renderForm(null, 200)
  const itemResult = items.parseItem(fields)
  if (typeof itemResult === 'string') return renderForm(itemResult, 400)
  return (await items.addItem(store, itemResult, clock())) ? createRedirect('/items') : renderForm('code-taken', 409)
}

async function handleItem(
  { method, form, view, session }: SignedInRequest,
  { store, clock }: SampleContext,
  id: number,
): Promise<InstanceResponse | null> {
  const item = await items.getItem(store, id)
  if (!item) return null
  const renderForm = (fields: items.ItemFields, fault: TextKey | null, status: number, version = item.version) =>
    createPageResponse(renderItemPage(view, session, { item: { id, version }, fields, fault }), status)
  if (method === 'GET') return renderForm({ ...item, quantity: items.formatQuantity(item.quantity) }, null, 200)
  const [fields, version] = [readItemFields(form), Number(form.get('version'))]
  const itemResult = items.parseItem(fields)
  if (typeof itemResult === 'string') return renderForm(fields, itemResult, 400, version)
  const changeResult = await items.changeItem(store, { ...itemResult, id, version }, clock())
  if (changeResult === 'taken') return renderForm(fields, 'code-taken', 409, version)
  return changeResult === 'stale' ? renderForm(fields, 'item-stale', 409, version) : createRedirect('/items')
}

async function handleAdmin(request: SignedInRequest, context: SampleContext): Promise<InstanceResponse | null> {
  const { method, path, view, session } = request
  if (method === 'GET' && path === '/') return createPageResponse(renderOverviewPage(view, session, context.memory()))
  if (method === 'GET' && path === '/apps') return createPageResponse(renderAppsPage(view, context.apps))
  if (method === 'POST' && path === '/memory') {
    context.useMoreMemory()
    context.log('warn', '100 MB more memory in use for a test')
    return createRedirect('/')
  }
  if (path === '/users') return handleUsers(request, context)
  const removedId = method === 'POST' ? parseId(path, /^\/users\/(\d{1,12})\/delete$/) : null
  if (removedId === null) return null
  await users.removeUser(context.store, removedId)
  context.log('info', `user ${removedId} was deleted`)
  return createRedirect('/users')
}

async function handleUsers(
  { method, form, view, session }: SignedInRequest,
  { store, log, clock }: SampleContext,
): Promise<InstanceResponse> {
  const renderForm = async (name: string, fault: TextKey | null, status: number) =>
    createPageResponse(renderUsersPage(view, session, await users.listUsers(store), { name, fault }), status)
  if (method === 'GET') return renderForm('', null, 200)
  const [name, password] = [(form.get('user') ?? '').trim(), form.get('password') ?? '']
  if (!namePattern.test(name) || password.length < 8 || password.length > maxPasswordLength)
    return renderForm(name, 'user-wrong', 400)
  if (!(await users.addUser(store, name, password, clock()))) return renderForm(name, 'user-taken', 409)
  log('info', `user ${name} was added`)
  return createRedirect('/users')
}
