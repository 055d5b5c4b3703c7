/**
 * What must be true on every page, whatever the user does (docs/quality.md). A rule gets the latest snapshots, the oldest first, and returns
 * what is wrong, or null.
 */
import { findWrongAmount } from '#tests/campaigns/monkey/amount-rules.ts'
import type { PageSnapshot } from '#tests/campaigns/monkey/page-snapshot.ts'
import { findLostWrite, findMissingRow } from '#tests/campaigns/monkey/saved-rules.ts'
import { findTrail } from '#tests/campaigns/monkey/trails.ts'

export type Rule = (snapshots: readonly PageSnapshot[]) => string | null

/** Numbers of snapshots for which a state may last. Pages that are loading do not count. */
const limits = {
  blank: 240,
  overflow: 6,
  rawText: 4,
  heading: 8,
  dialogName: 6,
  deadEnd: 8,
  lostFocus: 8,
  browserOffline: 16,
  serverGone: 140,
  serverBack: 120,
}

const isQuiet = ({ isBusy, isBlank, errorText }: PageSnapshot) => !isBusy && !isBlank && errorText === null

/** Typed text stays in its field: a page that loads, reconnects or changes its layout must not take it away. */
function findLostText(snapshots: readonly PageSnapshot[]): string | null {
  const field = snapshots.at(-1)?.typedField
  if (!field || field.value === field.typed) return null
  return field.value === null
    ? `the field "${field.name}" with "${field.typed}" is gone`
    : `"${field.typed}" was typed into "${field.name}", which now has "${field.value}"`
}

/** Code of a page that cannot be loaded while the server is away is no fault: the page says so and offers to try again. */
const isLoadProblem = (text: string) => /import|fetch|load/i.test(text)

function findErrorPage(snapshots: readonly PageSnapshot[]): string | null {
  if (findTrail(snapshots, limits.blank, ({ isBlank }) => isBlank)) return 'a blank page'
  const text = snapshots.at(-1)?.errorText ?? null
  if (text === null) return null
  const wasAway = snapshots.some(({ isServerReachable, isBrowserOnline }) => !isServerReachable || !isBrowserOnline)
  return wasAway && isLoadProblem(text) ? null : `an error page: ${text}`
}

const findDeadEnd: Rule = (snapshots) => {
  const trail = findTrail(snapshots, limits.deadEnd, (snapshot) => isQuiet(snapshot) && snapshot.wayCount === 0)
  return trail && 'no link and no enabled control besides the frame'
}

/** After Tab the focus may be in the browser's own bar. */
const findLostFocus: Rule = (snapshots) => {
  const isLost = (snapshot: PageSnapshot) =>
    isQuiet(snapshot) && !snapshot.hasFocus && snapshot.lastKey !== null && snapshot.lastKey !== 'Tab'
  const trail = findTrail(snapshots, limits.lostFocus, isLost)
  const hadFocus = snapshots.some(({ hasFocus, documentId }) => hasFocus && documentId === trail?.documentId)
  return trail && hadFocus ? `the focus is lost after ${trail.lastKey}` : null
}

const isShownOnline = ({ displayedConnection }: PageSnapshot) =>
  displayedConnection === 'online' || displayedConnection === 'syncing'
const isShownOffline = ({ displayedConnection }: PageSnapshot) =>
  displayedConnection === 'offline' || displayedConnection === 'unreachable'

/** The state on the screen is at most 20 seconds old (`connection-monitor.ts`). The browser's own "offline" is shown at once. */
const findWrongConnection: Rule = (snapshots) => {
  const isUnplugged = (snapshot: PageSnapshot) => !snapshot.isBrowserOnline && isShownOnline(snapshot)
  if (findTrail(snapshots, limits.browserOffline, isUnplugged)) return 'shown as online, but the browser is offline'
  const isGone = (snapshot: PageSnapshot) => !snapshot.isServerReachable && isShownOnline(snapshot)
  if (findTrail(snapshots, limits.serverGone, isGone)) return 'shown as online, but the server cannot be reached'
  const isBack = (snapshot: PageSnapshot) =>
    snapshot.isBrowserOnline && snapshot.isServerReachable && isShownOffline(snapshot)
  return findTrail(snapshots, limits.serverBack, isBack) && 'shown as offline, but the server can be reached'
}

const findOverflow: Rule = (snapshots) =>
  findTrail(snapshots, limits.overflow, ({ overflows }) => overflows.length > 0)?.overflows.join('; ') ?? null

const findHeadingFault: Rule = (snapshots) => {
  const isWrong = (snapshot: PageSnapshot) => isQuiet(snapshot) && snapshot.headings.length !== 1
  const trail = findTrail(snapshots, limits.heading, isWrong)
  if (trail) return `${trail.headings.length} h1: ${trail.headings.join(' | ')}`
  const isUnnamed = ({ unnamedDialogCount }: PageSnapshot) => unnamedDialogCount > 0
  return findTrail(snapshots, limits.dialogName, isUnnamed) && 'a dialog without a name'
}

const findRawText: Rule = (snapshots) =>
  findTrail(snapshots, limits.rawText, ({ rawTexts }) => rawTexts.length > 0)?.rawTexts.join(' | ') ?? null

export const rules = {
  typedTextStays: findLostText,
  noErrorPage: findErrorPage,
  savedRowAppears: findMissingRow,
  amountsAgree: findWrongAmount,
  hasWayOn: findDeadEnd,
  focusStays: findLostFocus,
  connectionIsTrue: findWrongConnection,
  fitsWindow: findOverflow,
  hasOneHeading: findHeadingFault,
  hasNoRawText: findRawText,
  queueStays: findLostWrite,
} satisfies Record<string, Rule>

export type RuleName = keyof typeof rules

/** Snapshots that the longest rule needs. */
export const maxSnapshots = 480
