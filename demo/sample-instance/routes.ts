/** What a sample instance answers: items at `www`, users, apps and memory at `admin`. */
import { randomBytes } from 'node:crypto'
import type { LogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import type { AppData } from '#demo/sample-instance/app-data.ts'
import { appsPage, type MemoryUse, overviewPage, usersPage } from '#demo/sample-instance/admin-pages.ts'
import { itemPage, itemsPage } from '#demo/sample-instance/item-pages.ts'
import * as items from '#demo/sample-instance/items.ts'
import { messagePage, signInPage, type Word } from '#demo/sample-instance/pages.ts'
import { maxPassword } from '#demo/sample-instance/passwords.ts'
import { type Answer, type Asked, deviceCookie, page, redirect, sessionCookie } from '#demo/sample-instance/requests.ts'
import type { Store } from '#demo/sample-instance/store.ts'
import * as users from '#demo/sample-instance/users.ts'

export interface Parts {
  store: Store
  apps: readonly AppData[]
  memory: () => MemoryUse
  useMoreMemory: () => void
  log: LogWriter['write']
  /** Epoch ms. */
  clock: () => number
}

type SignedIn = Asked & { session: users.Session }

/** Of whoever sent it, its origin has been looked at. */
export async function answer(asked: Asked, parts: Parts): Promise<Answer> {
  const { path, site, method, shown, session, form } = asked
  if (path === '/sign-in') return method === 'POST' ? signIn(asked, parts) : page(signInPage(shown, '', null))
  if (!session) return method === 'GET' ? redirect('/sign-in') : page(messagePage(shown, 'refused'), 403)
  // The host of the administrator's site has its own cookie, which nobody else is given.
  if (site === 'admin' && session.user.is_admin !== 1) return page(messagePage(shown, 'admins-only'), 403)
  if (method === 'POST' && !users.isToken(form.get('csrf') ?? '', session.csrf))
    return page(messagePage(shown, 'refused'), 403)
  const signedIn = { ...asked, session }
  if (method === 'POST' && path === '/sign-out') return signOut(signedIn, parts)
  const found = await (site === 'admin' ? answerAdmin(signedIn, parts) : answerItems(signedIn, parts))
  return found ?? page(messagePage(shown, 'not-found'), 404)
}

/** Anybody can cause it, under any name. */
const refusal = { priority: 'refusal' } as const

async function signIn(asked: Asked, { store, log, clock }: Parts): Promise<Answer> {
  const { form, site, shown, address, isSecure } = asked
  const [name, password] = [form.get('user') ?? '', form.get('password') ?? '']
  const again = (status: number, fault: Word) => page(signInPage(shown, name, shown.say(fault)), status)
  if (!nameShape.test(name) || password.length > maxPassword) return again(401, 'sign-in-refused')
  const device = asked.device || randomBytes(32).toString('base64url')
  const result = await users.signIn(store, { name, password, address, device }, clock())
  if (result.kind === 'limited') {
    log('warn', `login of ${name} refused: too many attempts`, refusal)
    const seconds = Math.ceil(result.waitMs / 1000)
    const fault = shown.say('sign-in-limited', { minutes: Math.ceil(seconds / 60) })
    return page(signInPage(shown, name, fault), 429, { 'retry-after': String(seconds) })
  }
  if (result.kind === 'refused') {
    log('warn', `login of ${name} refused`, refusal)
    return again(401, 'sign-in-refused')
  }
  if (site === 'admin' && result.user.is_admin !== 1) {
    users.signOut(store, result.cookie)
    log('warn', `login of ${name} at the administration refused`)
    return again(403, 'admins-only')
  }
  log('info', `login of ${name}`)
  return redirect('/', { 'set-cookie': [sessionCookie(result.cookie, isSecure), deviceCookie(device, isSecure)] })
}

function signOut({ cookie, session, isSecure }: SignedIn, { store, log }: Parts): Answer {
  users.signOut(store, cookie)
  log('info', `logout of ${session.user.name}`)
  return redirect('/sign-in', { 'set-cookie': sessionCookie('', isSecure) })
}

const nameShape = /^[A-Za-z0-9._-]{1,40}$/
/** Of a path `<before>/<number><after>`. */
const idIn = (path: string, shape: RegExp) => {
  const [, id] = shape.exec(path) ?? []
  return id === undefined ? null : Number(id)
}

function answerItems(asked: SignedIn, parts: Parts): Answer | null {
  const { method, path, query, shown, otherSite } = { ...asked, otherSite: asked.shown.otherSite }
  if (method === 'GET' && path === '/') return redirect('/items')
  if (method === 'GET' && path === '/admin') return redirect(`//${otherSite}/`)
  if (method === 'GET' && path === '/items') {
    const search = (query.get('search') ?? '').slice(0, 100)
    const at = Math.min(Math.max(0, Math.trunc(Number(query.get('page'))) || 0), 100_000)
    return page(itemsPage(shown, items.findItems(parts.store, search, at), search, at))
  }
  if (path === '/items/new') return newItem(asked, parts)
  const deleted = method === 'POST' ? idIn(path, /^\/items\/(\d{1,12})\/delete$/) : null
  if (deleted !== null) {
    items.deleteItem(parts.store, deleted)
    return redirect('/items')
  }
  const id = idIn(path, /^\/items\/(\d{1,12})$/)
  return id === null ? null : oneItem(asked, parts, id)
}

const fieldsOf = (form: URLSearchParams): items.ItemFields => {
  const text = (name: string) => (form.get(name) ?? '').trim()
  return { code: text('code'), name: text('name'), quantity: text('quantity'), unit: text('unit') }
}

function newItem({ method, form, shown, session }: SignedIn, { store, clock }: Parts): Answer {
  const fields = fieldsOf(form)
  const again = (fault: Word | null, status: number) =>
    page(itemPage(shown, session, { item: null, fields, fault }), status)
  if (method === 'GET') return again(null, 200)
  const read = items.readItem(fields)
  if (typeof read === 'string') return again(read, 400)
  return items.addItem(store, read, clock()) ? redirect('/items') : again('code-taken', 409)
}

function oneItem({ method, form, shown, session }: SignedIn, { store, clock }: Parts, id: number): Answer | null {
  const item = items.itemOf(store, id)
  if (!item) return null
  const show = (fields: items.ItemFields, fault: Word | null, status: number, version = item.version) =>
    page(itemPage(shown, session, { item: { id, version }, fields, fault }), status)
  if (method === 'GET') return show({ ...item, quantity: items.writeQuantity(item.quantity) }, null, 200)
  const [fields, version] = [fieldsOf(form), Number(form.get('version'))]
  const read = items.readItem(fields)
  if (typeof read === 'string') return show(fields, read, 400, version)
  const changed = items.changeItem(store, { ...read, id, version }, clock())
  if (changed === 'taken') return show(fields, 'code-taken', 409, version)
  return changed === 'stale' ? show(fields, 'item-stale', 409, version) : redirect('/items')
}

async function answerAdmin(asked: SignedIn, parts: Parts): Promise<Answer | null> {
  const { method, path, shown, session } = asked
  if (method === 'GET' && path === '/') return page(overviewPage(shown, session, parts.memory()))
  if (method === 'GET' && path === '/apps') return page(appsPage(shown, parts.apps))
  if (method === 'POST' && path === '/memory') {
    parts.useMoreMemory()
    parts.log('warn', '100 MB more memory in use, for trying')
    return redirect('/')
  }
  if (path === '/users') return userList(asked, parts)
  const removed = method === 'POST' ? idIn(path, /^\/users\/(\d{1,12})\/delete$/) : null
  if (removed === null) return null
  users.removeUser(parts.store, removed)
  parts.log('info', `user ${removed} was deleted`)
  return redirect('/users')
}

async function userList({ method, form, shown, session }: SignedIn, { store, log, clock }: Parts): Promise<Answer> {
  const show = (name: string, fault: Word | null, status: number) =>
    page(usersPage(shown, session, users.allUsers(store), { name, fault }), status)
  if (method === 'GET') return show('', null, 200)
  const [name, password] = [(form.get('user') ?? '').trim(), form.get('password') ?? '']
  if (!nameShape.test(name) || password.length < 8 || password.length > maxPassword)
    return show(name, 'user-wrong', 400)
  if (!(await users.addUser(store, name, password, clock()))) return show(name, 'user-taken', 409)
  log('info', `user ${name} was added`)
  return redirect('/users')
}
