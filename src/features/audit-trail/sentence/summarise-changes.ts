/** Summarises the changed fields of an entry: the first two, and the number of the others. */
import type { TFunction } from 'i18next'
import type { AuditChange, LeafValue } from '#domain/audit-log/leaf.ts'
import { isSameContent } from '#domain/equal-values.ts'
import type { SentenceEntry } from '#features/audit-trail/sentence/choose-sentence.ts'
import { isolate } from '#features/audit-trail/sentence/isolated-text.ts'

export type TranslateSentence = TFunction<'sentences'>

export interface ChangeFormatter {
  formatField: (field: string) => string
  formatValue: (field: string, value: unknown) => string
}

const maxChanges = 2
/** Maximum number of characters of a value. The complete values are in the entry's details. */
const maxValueLength = 60

/** Fields that a reader looks for first. Other fields follow in their stored order. */
const importantFields = ['admin', 'order', 'access_level', 'alert', 'status', 'email', 'name', 'users', 'modules']
const getRank = ({ field }: AuditChange) => {
  const index = importantFields.indexOf(field)
  return index < 0 ? importantFields.length : index
}

export function summariseChanges(
  t: TranslateSentence,
  { code, changes, info }: Pick<SentenceEntry, 'code' | 'changes' | 'info'>,
  formatter: ChangeFormatter,
): string {
  // The changes of a price list are in the order of the list.
  const sortedChanges = code === 'price' ? changes : changes.toSorted((a, b) => getRank(a) - getRank(b))
  const isRole = ({ field }: AuditChange) => code === 'user' && ['admin', 'order', 'alert'].includes(field)
  const [first = '', second] = sortedChanges
    .slice(0, maxChanges)
    .map((change) => (isRole(change) ? formatRole(t, change, formatter) : formatChange(t, change, formatter)))
  const changeTexts = second === undefined ? first : t('change.pair', { first, second })
  // An entry of a price list stores only some of its changes, and their number.
  const totalCount = Math.max(Number(info['ChangeCount'] ?? 0) || 0, changes.length)
  const hiddenCount = totalCount - Math.min(changes.length, maxChanges)
  return hiddenCount > 0 ? t('change.more', { changes: changeTexts, number: hiddenCount }) : changeTexts
}

const formatRole = (t: TranslateSentence, { field, after }: AuditChange, { formatField }: ChangeFormatter) =>
  t(after === true ? 'change.roleAdded' : 'change.roleRemoved', { field: formatField(field) })

const isEmpty = (value: LeafValue) => value === null || value === ''

function formatChange(t: TranslateSentence, { field, before, after }: AuditChange, formatter: ChangeFormatter): string {
  const fieldName = formatter.formatField(field)
  if (isList(before) && isList(after)) return formatListChange(t, fieldName, before, after)
  const toText = (value: LeafValue) => isolate(shorten(formatter.formatValue(field, value)))
  if (isEmpty(after) && !isEmpty(before)) return t('change.cleared', { field: fieldName })
  if (isEmpty(before)) return t('change.set', { field: fieldName, after: toText(after) })
  return t('change.replaced', { field: fieldName, before: toText(before), after: toText(after) })
}

const isList = (value: LeafValue): value is readonly LeafValue[] => Array.isArray(value)

/** Names the added and the removed items: codes, or objects with a code, such as the apps of a module. */
function formatListChange(
  t: TranslateSentence,
  field: string,
  before: readonly LeafValue[],
  after: readonly LeafValue[],
): string {
  const findMissing = (items: readonly LeafValue[], others: readonly LeafValue[]) =>
    items.filter((item) => !others.some((other) => isSameContent(item, other)))
  const added = joinItems(findMissing(after, before))
  const removed = joinItems(findMissing(before, after))
  if (added && removed) return t('change.exchanged', { field, added, removed })
  if (added) return t('change.added', { field, added })
  return removed ? t('change.removed', { field, removed }) : t('change.reordered', { field })
}

const joinItems = (items: readonly LeafValue[]): string =>
  items.length === 0 ? '' : isolate(shorten(items.map(getItemName).join(', ')))

function getItemName(item: LeafValue): string {
  const isObject = typeof item === 'object' && item !== null
  return isObject && 'code' in item ? String(item.code) : isObject ? JSON.stringify(item) : String(item)
}

function shorten(text: string): string {
  const characters = [...text]
  return characters.length > maxValueLength ? `${characters.slice(0, maxValueLength).join('')}…` : text
}
