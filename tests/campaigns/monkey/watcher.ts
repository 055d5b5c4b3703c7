/**
 * Watches a page in the browser: takes snapshots and applies the rules. The build of this file is added to every document before its own
 * scripts. Keys that the portal does not use control the network and more, because the monkey can only press keys and click.
 */
import { type PageSnapshot, snapshotMs } from '#tests/campaigns/monkey/page-snapshot.ts'
import {
  isBlank,
  isBusy,
  type PageContent,
  readCompany,
  readConnection,
  readContent,
  readErrorText,
  readToasts,
  readUnsentCount,
} from '#tests/campaigns/monkey/read-page.ts'
import { maxSnapshots, type RuleName, rules } from '#tests/campaigns/monkey/rules.ts'

export interface MonkeyFault {
  rule: RuleName
  text: string
  path: string
}

export type MonkeyControl = 'server' | 'browser' | 'dark'

/** What the process that runs the monkey knows. */
export interface MonkeyWorld {
  isServerReachable: boolean
  answeredCount: number
}

export interface MonkeyWatcher {
  /** All faults of this round. */
  faults: MonkeyFault[]
  world: MonkeyWorld
  /** Number of snapshots of this document. */
  snapshotCount: number
  messageKeys: ReadonlySet<string>
}

declare global {
  interface Window {
    monkeyWatcher: MonkeyWatcher
    /** Messages of the portal whose keys must not be displayed. Set by the process. */
    monkeyMessageKeys?: readonly string[]
    /** Company whose user the monkey signs in. */
    monkeyCompany?: string
    monkeyControl?: (control: MonkeyControl) => Promise<void>
  }
}

/** Key codes are those of `tests/campaigns/monkey/specification.ts`. */
const controls: Readonly<Record<string, MonkeyControl | 'select'>> = {
  ScrollLock: 'server',
  Pause: 'browser',
  NumLock: 'dark',
  Insert: 'select',
}
const contentEvery = 3
const storageKey = 'monkey'
const maxFaultsPerRule = 3
/** Time in ms in which a submitted form may close. What is typed into it meanwhile is not kept. */
const submitMs = 15_000

/** Faults and the end of the history survive a load of the page. */
interface StoredState {
  faults: MonkeyFault[]
  snapshots: PageSnapshot[]
  inputCount: number
  world: MonkeyWorld
}

const noState: StoredState = {
  faults: [],
  snapshots: [],
  inputCount: 0,
  world: { isServerReachable: true, answeredCount: 0 },
}

function readStoredState(): StoredState {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') ?? noState
  } catch {
    // A page of the browser itself has no storage.
    return noState
  }
}

function storeState(state: StoredState) {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ ...state, snapshots: state.snapshots.slice(-60) }))
  } catch {
    // The same, or the storage is full.
  }
}

type TextField = HTMLInputElement | HTMLTextAreaElement
const isTextField = (element: unknown): element is TextField =>
  element instanceof HTMLTextAreaElement ||
  (element instanceof HTMLInputElement && /^(text|email|search|number|password|tel|url)$/.test(element.type))

const getFieldName = ({ name, id }: TextField) => name || id

const hasFocus = () => document.activeElement !== null && document.activeElement !== document.body

/** React replaces an element, for example after a change of the layout. Then the field with the same name counts. */
const findField = (field: TextField): TextField | null =>
  field.isConnected
    ? field
    : ([...document.querySelectorAll<TextField>('input, textarea')].find(
        (candidate) => getFieldName(field) !== '' && getFieldName(candidate) === getFieldName(field),
      ) ?? null)

function install() {
  const stored = readStoredState()
  const watcher: MonkeyWatcher = {
    faults: stored.faults,
    world: stored.world,
    snapshotCount: 0,
    get messageKeys() {
      return (messageKeys ??= new Set(window.monkeyMessageKeys))
    },
  }
  let messageKeys: ReadonlySet<string> | undefined
  window.monkeyWatcher = watcher
  const documentId = crypto.randomUUID()
  const snapshots = stored.snapshots
  let { inputCount } = stored
  let lastKey: string | null = null
  const submittedAt = new WeakMap<EventTarget, number>()
  let typed: { field: TextField; text: string; path: string } | null = null
  let content: PageContent | null = null

  const noteInput = (key: string | null) => {
    inputCount += 1
    lastKey = key
    typed = null
  }
  const onKey = (event: KeyboardEvent) => {
    const control = controls[event.key]
    // A key is not blamed for a focus that was lost before it.
    if (!control)
      return void (event.isTrusted && event.key !== 'Unidentified' && noteInput(hasFocus() ? event.key : null))
    event.preventDefault()
    event.stopImmediatePropagation()
    if (control === 'select') return void (isTextField(document.activeElement) && document.activeElement.select())
    // A page without a worker cannot be loaded without a network.
    if (control === 'dark' || navigator.serviceWorker?.controller) void window.monkeyControl?.(control)
  }
  const onInput = ({ target, isTrusted }: Event) => {
    if (!isTrusted || !isTextField(target) || target !== document.activeElement) return
    inputCount += 1
    typed = null
    const submitTime = target.form ? (submittedAt.get(target.form) ?? -submitMs) : -submitMs
    if (performance.now() - submitTime < submitMs) return
    // The page may apply the format of the field at once, such as lower case.
    requestAnimationFrame(() => (typed = { field: target, text: target.value, path: location.pathname }))
  }
  addEventListener('keydown', onKey, true)
  addEventListener('keyup', (event) => controls[event.key] && event.stopImmediatePropagation(), true)
  addEventListener('input', onInput, true)
  addEventListener('submit', ({ target }) => target && submittedAt.set(target, performance.now()), true)
  for (const type of ['pointerdown', 'popstate', 'submit']) addEventListener(type, () => noteInput(null), true)

  const readTypedField = (): PageSnapshot['typedField'] => {
    // The rules of a field may change its text when the focus leaves.
    if (!typed || typed.path !== location.pathname) return null
    if (typed.field.isConnected && typed.field !== document.activeElement) return null
    const value = findField(typed.field)?.value ?? null
    return { name: getFieldName(typed.field), typed: typed.text, value }
  }
  const takeSnapshot = (currentContent: PageContent): PageSnapshot => ({
    documentId,
    path: location.pathname,
    inputCount,
    isBusy: isBusy(),
    isBlank: isBlank(),
    errorText: readErrorText(),
    ...currentContent,
    hasFocus: hasFocus(),
    lastKey,
    typedField: readTypedField(),
    displayedConnection: readConnection(),
    isBrowserOnline: navigator.onLine,
    isServerReachable: watcher.world.isServerReachable,
    toasts: readToasts(),
    unsentCount: readUnsentCount(),
    company: readCompany(),
    answeredCount: watcher.world.answeredCount,
  })
  const report = (rule: RuleName, text: string) => {
    const sameRuleFaults = watcher.faults.filter((fault) => fault.rule === rule)
    if (sameRuleFaults.length < maxFaultsPerRule && !sameRuleFaults.some((fault) => fault.text === text))
      watcher.faults.push({ rule, text, path: location.pathname })
  }
  let tick = 0
  setInterval(() => {
    if (!document.body) return
    if (tick % contentEvery === 0 || !content) content = readContent(watcher.messageKeys)
    tick += 1
    snapshots.push(takeSnapshot(content))
    watcher.snapshotCount += 1
    if (snapshots.length > maxSnapshots) snapshots.shift()
    for (const [rule, find] of Object.entries(rules)) {
      const text = find(snapshots)
      if (text !== null) report(rule as RuleName, text)
    }
  }, snapshotMs)
  addEventListener('pagehide', () =>
    storeState({ faults: watcher.faults, snapshots, inputCount, world: watcher.world }),
  )
}

if (window.top === window) install()
