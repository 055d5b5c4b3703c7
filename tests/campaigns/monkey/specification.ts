/**
 * What Bombadil does and checks (https://github.com/antithesishq/bombadil). It bundles this file itself, and runs the actions in an engine of
 * its own and the extractors in the page. The rules run in the page too (`watcher.ts`), because they look more often.
 */
import { always } from '@antithesishq/bombadil'
import { actions, extract, getFingerprint, weighted } from '@antithesishq/bombadil/browser'
import {
  back,
  clicks,
  forward,
  inputs,
  lastAction,
  reload,
  scroll,
} from '@antithesishq/bombadil/browser/defaults/actions'

export {
  noConsoleErrors,
  noHttpErrorCodes,
  noUncaughtExceptions,
  noUnhandledPromiseRejections,
} from '@antithesishq/bombadil/browser/defaults/properties'

/** Faults by rule. Bombadil writes the value into its trace. */
const faults = extract(({ window }) =>
  (window.monkeyWatcher?.faults ?? []).map(({ rule, text, path }) => ({ rule, text, path })),
)
const holds = (name: string) => always(() => faults.current.every(({ rule }) => rule !== name))

export const typedTextStays = holds('typedTextStays')
export const noErrorPage = holds('noErrorPage')
export const savedRowAppears = holds('savedRowAppears')
export const amountsAgree = holds('amountsAgree')
export const hasWayOn = holds('hasWayOn')
export const focusStays = holds('focusStays')
export const connectionIsTrue = holds('connectionIsTrue')
export const fitsWindow = holds('fitsWindow')
export const hasOneHeading = holds('hasOneHeading')
export const hasNoRawText = holds('hasNoRawText')
export const queueStays = holds('queueStays')

const key = {
  space: 32,
  tab: 9,
  enter: 13,
  escape: 27,
  backspace: 8,
  left: 37,
  up: 38,
  right: 39,
  down: 40,
  slash: 191,
  f8: 119,
} as const
/** Keys that the watcher takes. */
const control = { server: 145, browser: 19, dark: 144, select: 45 } as const

const press = (code: number) => ({ PressKey: { code } })
const type = (text: string) => ({ TypeText: { text: { Regexp: text }, delayMillis: [1, 8] as [number, number] } })

const isInPortal = extract(({ window }) => window.location.pathname.startsWith('/saas/'))

// Signing in, field by field. The texts are regular expressions.
const people = [
  { company: 'acme', username: 'admin@acme[.]example' },
  { company: 'm18', username: 'staff@m18[.]example' },
] as const
const password = 'Portal-demo-1'
const company = extract(({ window }) => window.monkeyCompany ?? 'acme')

const loginForm = extract(({ document }) => {
  const toTarget = (element: Element | null) => {
    if (!element) return null
    const { left, top, width, height } = element.getBoundingClientRect()
    return { fingerprint: getFingerprint(element), point: { x: left + width / 2, y: top + height / 2 } }
  }
  const fields = ['company', 'username', 'password'].map((name) => {
    const field = document.querySelector<HTMLInputElement>(`form input[name="${name}"]`)
    return { target: toTarget(field), value: field?.value ?? '', hasFocus: field === document.activeElement }
  })
  const isLogin = document.location.pathname === '/saas/login' && fields.every(({ target }) => target !== null)
  return isLogin ? { fields, submit: toTarget(document.querySelector('form button[type=submit]')) } : null
})

const signIn = actions(() => {
  const form = loginForm.current
  if (!form?.submit) return []
  const person = people.find((candidate) => candidate.company === company.current) ?? people[0]
  const texts = [person.company, person.username, password]
  const index = form.fields.findIndex(({ value }, position) => value !== texts[position]?.replaceAll(/[[\]]/g, ''))
  const field = form.fields[index]
  if (!field?.target) return [{ Click: form.submit }]
  if (!field.hasFocus) return [{ Click: field.target }]
  const last = lastAction.current
  const isSelected =
    typeof last === 'object' && last !== null && 'PressKey' in last && last.PressKey.code === control.select
  return field.value === '' || isSelected ? [type(texts[index] ?? '')] : [press(control.select)]
})

// Typing what a field accepts, so that forms are completed.
const activeField = extract(({ document }) => {
  const { activeElement } = document
  const isField = activeElement?.localName === 'input' || activeElement?.localName === 'textarea'
  const field = isField ? (activeElement as HTMLInputElement) : null
  return field && { type: field.type, isDate: /date|day|\d{4}/i.test(field.placeholder) }
})
const textsByType: Readonly<Record<string, readonly string[]>> = {
  email: ['[a-f]{3,6}@acme[.]example', '[a-f]{2}'],
  number: ['[1-9][0-9]?', '[0-9]{6}'],
  password: [password],
}
const names = [
  '[a-f]{3,8}[0-9]',
  'Lee Ho [a-z]{3}',
  '张三[1-9]',
  '2027-0[1-9]-1[0-9]',
  '[0-9]{1,5}',
  '[0-9]{3}[.][0-9]{2}',
]

const typing = actions(() => {
  const field = activeField.current
  if (!field) return []
  if (field.isDate) return [type('2027-0[1-9]-1[0-9]')]
  return (textsByType[field.type] ?? names).map(type)
})

const keys = weighted([
  [8, press(key.tab)],
  [6, press(key.enter)],
  [2, press(key.space)],
  [3, press(key.escape)],
  [1, press(key.backspace)],
  [2, press(key.down)],
  [1, press(key.up)],
  [1, press(key.left)],
  [1, press(key.right)],
  [1, press(key.slash)],
  [1, press(key.f8)],
])

// What leads on: the main button of a page or dialog.
const mainButtons = extract(({ document, window }) =>
  [...document.querySelectorAll('.button.primary:not(:disabled), [role=dialog] [type=submit]')].flatMap((element) => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const point = { x: left + width / 2, y: top + height / 2 }
    const isInside = point.x > 0 && point.y > 0 && point.x < window.innerWidth && point.y < window.innerHeight
    const hit = isInside ? document.elementFromPoint(point.x, point.y) : null
    return hit && element.contains(hit) ? [{ fingerprint: getFingerprint(element), point }] : []
  }),
)
const goOn = actions(() => (loginForm.current ? [] : mainButtons.current.map((Click) => ({ Click }))))

// The network. It is lost only behind the login, and restored sooner or later.
const network = extract(({ document, window }) => ({
  isServerReachable: window.monkeyWatcher?.world.isServerReachable ?? true,
  isBrowserOnline: window.navigator.onLine,
  canBeLost: document.location.pathname.startsWith('/saas/app/'),
}))
const isConnected = () => network.current.isServerReachable && network.current.isBrowserOnline
const restoreNetwork = actions(() => [
  ...(network.current.isServerReachable ? [] : [press(control.server)]),
  ...(network.current.isBrowserOnline ? [] : [press(control.browser)]),
])
const changeNetwork = actions(() => {
  if (!isConnected()) return restoreNetwork.generate()
  return network.current.canBeLost ? [press(control.server), press(control.browser)] : []
})

const viewports = [
  [360, 740],
  [768, 1024],
  [1280, 800],
] as const
const changeWindow = actions(() => viewports.map(([width, height]) => ({ SetViewport: { width, height } })))

/** Types one letter after a pause, so that states that should not last are seen. Does nothing else where no field has the focus. */
const rest = actions(() => [{ TypeText: { text: { Regexp: 'e' }, delayMillis: [1_500, 3_000] } }])

/** Links lead out of the portal to pages that were tested otherwise, and from there nowhere. */
const isPortalLink = (href: string | null) => href === null || href.startsWith('/saas/') || href.startsWith('#')
type ActionTree = ReturnType<typeof clicks.generate>
function pruneLinks(tree: ActionTree): ActionTree {
  if ('branches' in tree)
    return {
      branches: tree.branches
        .map(([weight, branch]): [number, ActionTree] => [weight, pruneLinks(branch)])
        .filter(([, branch]) => 'value' in branch || branch.branches.length > 0),
    }
  const { value } = tree
  const isOutside = typeof value === 'object' && 'Click' in value && !isPortalLink(value.Click.fingerprint.href)
  return isOutside ? { branches: [] } : tree
}
const clicksInside = actions(() => pruneLinks(clicks.generate()))

// Weights above 255 do not fit into Bombadil's numbers.
const explore = weighted([
  [40, clicksInside],
  [25, goOn],
  [30, typing],
  [4, inputs],
  [30, keys],
  [3, scroll],
  [4, changeNetwork],
  [8, actions(() => (isConnected() ? [] : restoreNetwork.generate()))],
  [2, changeWindow],
  [1, actions(() => [press(control.dark)])],
  [3, back],
  [1, forward],
  [1, reload],
  [12, rest],
])
const enter = weighted([
  [15, signIn],
  [1, explore],
])

export const monkey = actions(() => {
  if (!isInPortal.current)
    return weighted([
      [1, 'Back'],
      [1, clicks],
    ]).generate()
  if (!loginForm.current) return explore.generate()
  return (isConnected() ? enter : restoreNetwork).generate()
})
