/** Reads a page as its users see it: by roles, names and texts. Runs in the page. */
import type {
  AmountsSnapshot,
  DisplayedConnection,
  PageSnapshot,
  ToastSnapshot,
} from '#tests/campaigns/monkey/page-snapshot.ts'

/** What costs much time to read. It is read less often than the rest. */
export type PageContent = Pick<
  PageSnapshot,
  'headings' | 'unnamedDialogCount' | 'rawTexts' | 'overflows' | 'wayCount' | 'completeList' | 'amounts'
>

const connections: readonly DisplayedConnection[] = ['online', 'syncing', 'offline', 'unreachable', 'noDatabase']
const maxFindings = 3

const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true })
const readText = (element: Element | null | undefined) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim()
const readAll = (selector: string, scope: ParentNode = document) =>
  [...scope.querySelectorAll(selector)].filter(isVisible)
const getTopDialog = () => readAll('[role=dialog][aria-modal=true], dialog[open]').at(-1) ?? null

export const readErrorText = (): string | null =>
  location.protocol === 'chrome-error:'
    ? 'the browser has no page for this address'
    : readText(document.querySelector('.broken-detail code')) || null

export const isBusy = (): boolean =>
  document.readyState !== 'complete' || document.querySelector('[aria-busy=true], .skeleton') !== null

export const isBlank = (): boolean =>
  location.pathname.startsWith('/saas/') && document.querySelector('main, .page') === null

export function readConnection(): DisplayedConnection | null {
  const status = document.querySelector('header .line[role=status]')
  return connections.find((state) => status?.classList.contains(state)) ?? null
}

export const readToasts = (): ToastSnapshot[] =>
  [...document.querySelectorAll<HTMLElement>('.toast')].map((toast) => {
    const link = toast.querySelector<HTMLAnchorElement>('p a[href]')
    const label = readText(link?.querySelector('.sr-only'))
    return {
      id: toast.dataset['toast'] ?? '',
      kind: toast.classList.contains('done') ? 'done' : toast.classList.contains('failed') ? 'failed' : 'note',
      text: readText(toast.querySelector('p')),
      link: link && label ? { label, path: link.pathname + link.search } : null,
    }
  })

/** Null while the frame of a signed-in user is not displayed. */
export const readUnsentCount = (): number | null =>
  document.querySelector('.shell header')
    ? [...document.querySelectorAll('header .bar-waiting')].reduce((sum, mark) => sum + Number(readText(mark)), 0)
    : null

export const readCompany = (): string | null => readText(document.querySelector('header .bar-company')) || null

const hasName = (dialog: Element) => {
  const titles = (dialog.getAttribute('aria-labelledby') ?? '').split(' ').map((id) => document.getElementById(id))
  return Boolean(dialog.getAttribute('aria-label')) || titles.some((title) => readText(title) !== '')
}

const placeholder = /\{\{?\s*[a-z]\w*\s*\}\}?/i
const programmerWord = /(^|[\s:,(])(undefined|NaN|\[object \w+\]?)([\s.,:;)%]|$)/

/** Texts of the page except those that users or programs write as they like. */
function* listTexts(): Generator<string> {
  yield document.title
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text
    if (data.trim() && !parentElement?.closest('script, style, code, pre, textarea, bdi')) yield data.trim()
  }
  for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
    for (const name of ['aria-label', 'placeholder', 'title']) yield element.getAttribute(name)?.trim() ?? ''
}

export function findRawTexts(messageKeys: ReadonlySet<string>): string[] {
  const rawTexts = new Set<string>()
  for (const text of listTexts())
    if (placeholder.test(text) || programmerWord.test(text) || messageKeys.has(text)) rawTexts.add(text.slice(0, 80))
  return [...rawTexts].slice(0, maxFindings)
}

const describe = (element: Element) => `${element.localName}.${element.getAttribute('class') ?? ''}`

function findOverflows(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const dialogs = readAll('[role=dialog], dialog[open]').filter((dialog) => {
    const { left, right } = dialog.getBoundingClientRect()
    // A drawer slides in from the side.
    return dialog.getAnimations().length === 0 && (left < -1 || right > clientWidth + 1)
  })
  if (scrollWidth <= clientWidth) return dialogs.map(describe).slice(0, maxFindings)
  const wide = [...document.querySelectorAll('body *')].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 1,
  )
  return [`${scrollWidth - clientWidth} px too wide`, ...wide.slice(0, maxFindings).map(describe)]
}

const waySelector =
  'a[href], button:not(:disabled, [aria-disabled=true]), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, iframe'

function countWays(): number {
  const scope = getTopDialog() ?? document.querySelector('main') ?? document.body
  return readAll(waySelector, scope).length
}

const outboxSelector = '.pages, .list-more, .chip, .filters button.plain'

function readCompleteList(): string[] | null {
  const table = document.querySelector('main table.rows')
  const search = document.querySelector<HTMLInputElement>('main .filters input')
  const isFiltered = search?.value || readAll(outboxSelector, document.querySelector('main') ?? document).length > 0
  if (!table || isFiltered) return null
  return readAll('tbody tr', table).map(readText)
}

const readAmount = (scope: ParentNode | null | undefined, selector: string) =>
  readText(scope?.querySelector(`${selector} .amount`)) || null

/** The title of a payment ends with the service code: "Pay abc1", "付款：abc1". */
const findServiceCode = (title: string) => /[a-z0-9]+$/.exec(title)?.[0] ?? null

function readAmounts(): AmountsSnapshot {
  const dialog = readAll('[role=dialog]').find((element) => element.querySelector('.payment .payment-due'))
  const wizard = document.querySelector('main .wizard')
  const amount = readAmount(dialog ?? wizard, '.payment-due > dd:not(.payment-item):not(.field-help)')
  const hasItems = dialog?.querySelector('.payment-item')
  const code = dialog && !hasItems ? findServiceCode(readText(dialog.querySelector('.p-dialog-title'))) : null
  return {
    quoted: wizard?.querySelector('.payment') ? null : readAmount(wizard, '.quote-bar .price-due'),
    payable: amount === null ? null : { code, amount },
    charged: readAmount(wizard, '.finish-amount'),
    due: [...document.querySelectorAll('main table.rows tbody tr')].flatMap((row) => {
      const rowCode = readText(row.querySelector('.order-code'))
      const amounts = readAll('.order-due .amount', row).map(readText)
      return rowCode && amounts.length > 0 ? [{ code: rowCode, amounts }] : []
    }),
  }
}

export const readContent = (messageKeys: ReadonlySet<string>): PageContent => ({
  headings: readAll('h1')
    .filter((heading) => !heading.closest('[role=dialog], dialog'))
    .map(readText),
  unnamedDialogCount: readAll('[role=dialog], dialog[open]').filter((dialog) => !hasName(dialog)).length,
  rawTexts: findRawTexts(messageKeys),
  overflows: findOverflows(),
  wayCount: countWays(),
  completeList: readCompleteList(),
  amounts: readAmounts(),
})
