/** What the rules of the monkey know about a page at one moment. Plain data, so that a rule can be tested without a browser. */

/** Time between two snapshots in ms. Rules count snapshots, so a page that is paused or has no processor time is not blamed. */
export const snapshotMs = 250

/** As the header shows it: class of `ConnectionStatus`. */
export type DisplayedConnection = 'online' | 'syncing' | 'offline' | 'unreachable' | 'noDatabase'

export interface ToastSnapshot {
  id: string
  kind: 'done' | 'failed' | 'note'
  text: string
  /** Record that the message names, and its path. */
  link: { label: string; path: string } | null
}

/** Formatted amounts, such as `HKD 42,000.00`. */
export interface AmountsSnapshot {
  /** Amount due in the wizard, before the order is created. */
  quoted: string | null
  /** Amount of the payment that is being confirmed. The code of the service is known in dialogs only. */
  payable: { code: string | null; amount: string } | null
  /** Amount on the page that says that the order is paid. */
  charged: string | null
  /** Amounts due in the rows of the list, by service code. */
  due: readonly { code: string; amounts: readonly string[] }[]
}

export interface PageSnapshot {
  /** Changes with each load. */
  documentId: string
  path: string
  /** Number of inputs of the user so far. */
  inputCount: number
  isBusy: boolean
  /** No page is displayed, because its code has not run yet or has failed. */
  isBlank: boolean
  /** Text of an error page, or null. */
  errorText: string | null
  /** Texts of the visible `h1` elements. */
  headings: readonly string[]
  unnamedDialogCount: number
  /** Texts that only a programmer understands. */
  rawTexts: readonly string[]
  /** What is wider than the window. */
  overflows: readonly string[]
  /** Number of links and enabled controls in the page or its top dialog, without the frame. */
  wayCount: number
  hasFocus: boolean
  /** The key that the user pressed last, or null if the last input was not a key. */
  lastKey: string | null
  /** The field that the user typed into last, until another input follows. `value` is null if the field is gone. */
  typedField: { name: string; typed: string; value: string | null } | null
  displayedConnection: DisplayedConnection | null
  isBrowserOnline: boolean
  isServerReachable: boolean
  toasts: readonly ToastSnapshot[]
  /** Texts of the rows of a list without filters that has one page, else null. */
  completeList: readonly string[] | null
  /** Number of writes that the header shows as unsent. Null while the header is not displayed. */
  unsentCount: number | null
  /** Name of the company in the header, or null. */
  company: string | null
  /** Number of writes that the server has answered in this run. It may lag behind by a second. */
  answeredCount: number
  amounts: AmountsSnapshot
}
