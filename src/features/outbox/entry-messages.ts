import type { ReceiptView } from '#local/outbox/receipts.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import { findFieldLabel } from '#ui/i18n/field-labels.ts'
import { findMessage } from '#ui/i18n/messages.ts'
import { useTranslation } from 'react-i18next'

/** Actions whose text says what kind of row it is: "New price list …". */
const kindActionNames = [
  'createUser',
  'deleteUser',
  'createOrder',
  'deleteOrder',
  'createPriceList',
  'deletePriceList',
  'createModule',
  'deleteModule',
  'uploadAsset',
] as const
const actionNames = [...kindActionNames, 'sendActivationMail', 'disableUser', 'enableUser', 'setAlertDate'] as const
const tables = ['users', 'companies', 'orders', 'price_lists', 'modules'] as const
const maxNamedFields = 3

const findName = <T extends string>(names: readonly T[], name: string): T | undefined =>
  names.find((candidate) => candidate === name)

/** Returns the key of texts about the kind of record that a write changes. */
export const getRecordKind = ({ table }: Pick<EntryView, 'table'>) => findName(tables, table) ?? 'other'

interface EntryChange {
  field: string
  /** Undefined if the form did not record the original value. */
  from: unknown
  to: unknown
}

export const getEntryChanges = ({ input: writeInput, base }: Pick<EntryView, 'input' | 'base'>): EntryChange[] =>
  Object.entries((writeInput.body as object | undefined) ?? {})
    // The id only identifies the row and changes nothing.
    .filter(([field]) => field !== 'id')
    .map(([field, to]) => ({ field, from: base?.[field], to }))

/** Returns whether the write only acts on a row (disables or deletes it). Such a write has no values to edit. */
export const isRowAction = ({ input: writeInput }: Pick<EntryView, 'input'>) => writeInput.body === undefined

/** `name`: display name of the record before this write. */
type NamedWrite = Pick<EntryView, 'endpoint' | 'action' | 'table'> & { name: string | null }

/** Returns functions that build sentences about a write. An entry, its dialogs and links to it use the same sentence. */
export function useEntryMessages() {
  const { t } = useTranslation('outbox')
  const getFieldFormatter = useFieldFormatter()
  const formatName = ({ name, table }: NamedWrite): string => {
    if (name === null) return t(`some.${getRecordKind({ table })}`)
    return table === 'price_lists' ? t('priceList', { name }) : name
  }
  const describePlainly = (write: NamedWrite): string => {
    const actionName = findName(actionNames, write.endpoint)
    const name = formatName(write)
    if (actionName) {
      // These messages contain the kind of record. Without a name they are complete: not "New price list a price list".
      const kindAction = findName(kindActionNames, actionName)
      return t(`what.${actionName}`, { name: write.name ?? (kindAction ? '' : name) }).trim()
    }
    return t(`what.${write.action === 'change' ? 'edit' : write.action}`, { name })
  }
  const describeCall = (endpoint: string, name: string | null | undefined): string => {
    const call = findMessage('outbox', `call.${endpoint}`) ?? t('call.other')
    return name ? t('named', { call, name }) : call
  }
  function describeWrite(
    entry: Omit<NamedWrite, 'name'> & Pick<EntryView, 'input' | 'base'>,
    name: string | null,
  ): string {
    const write = { ...entry, name }
    const names = getEntryChanges(entry).map((change) => getFieldFormatter(entry.table).formatField(change.field))
    if (entry.action !== 'change' || findName(actionNames, entry.endpoint) || names.length === 0)
      return describePlainly(write)
    if (names.length > maxNamedFields) return t('what.changeMany', { count: names.length, name: formatName(write) })
    return t('what.change', { fields: joinInSentence(names), name: formatName(write) })
  }
  return {
    formatName,
    describeWrite,
    describeReceipt: (receipt: ReceiptView): string =>
      isCall(receipt)
        ? describeCall(receipt.endpoint, receipt.name)
        : receipt.values
          ? describeWrite({ ...receipt, ...receipt.values }, receipt.name)
          : describePlainly(receipt),
    describeCall,
  }
}

/** Returns whether the receipt is of a direct call. Such a call concerns no row of a list. */
const isCall = ({ table, endpoint }: ReceiptView) => table === '' && endpoint !== 'uploadAsset'

const getLanguage = () => document.documentElement.lang || 'en'

/** Joins field names as inside a sentence: "title and e-mail". */
function joinInSentence(fields: string[]): string {
  const lowerCasedFields = fields.map((field) =>
    /^.[A-Z]/.test(field) ? field : field.charAt(0).toLowerCase() + field.slice(1),
  )
  return new Intl.ListFormat(getLanguage(), { type: 'conjunction' }).format(lowerCasedFields)
}

const titles = ['0', '1', '2'] as const
const levels = ['0', '1', '2', '3', '100'] as const
const statuses = ['1', '0', '-1', '-2'] as const
const columns = ['name', 'email', 'title', 'status'] as const
const flags = ['admin', 'order', 'alert'] as const
const priceFieldNames = [
  'uat_charge',
  'uat_cap',
  'min_fee',
  'min_concurrent_user',
  'min_named_user',
  'concurrentUser',
  'namedUser',
  'module',
  'pdbPrice',
] as const

export interface FieldFormatter {
  formatField: (name: string) => string
  formatValue: (name: string, value: unknown) => string
}

/** Formats names and values as the forms of that table show them. A field without a message keeps its own name. */
export function useFieldFormatter(): (table: string) => FieldFormatter {
  const { t } = useTranslation('outbox')
  const { t: tUsers } = useTranslation('users')
  const { t: tPeople } = useTranslation('people')
  const formatSettings = (values: object): string =>
    Object.entries(values)
      .map(([name, value]) =>
        t('setting', { name: defaultFormatter.formatField(name), value: defaultFormatter.formatValue(name, value) }),
      )
      .join(t('and'))
  const formatItem = (item: unknown): string => {
    if (typeof item !== 'object' || item === null) return String(item)
    const { code, flag } = item as { code?: unknown; flag?: object }
    if (typeof code !== 'string') return formatSettings(item)
    const settings = formatSettings(flag ?? {})
    return settings === '' ? code : t('withSettings', { name: code, settings })
  }
  const defaultFormatter: FieldFormatter = {
    formatField(name) {
      const [, baseName = name, currency] = /^(.+)_(hkd|usd|rmb)$/.exec(name) ?? []
      const priceFieldName = findName(priceFieldNames, baseName)
      const label = priceFieldName ? t(`field.${priceFieldName}`) : (findFieldLabel(baseName) ?? baseName)
      return currency ? `${label} ${currency.toUpperCase()}` : label
    },
    formatValue(_name, value) {
      if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
      if (value === null || value === undefined || value === '') return t('nothing')
      if (Array.isArray(value)) return value.map(formatItem).join(t('and')) || t('nothing')
      return typeof value === 'object' ? formatSettings(value) : String(value)
    },
  }
  const userFormatter: FieldFormatter = {
    formatField(name) {
      const column = findName(columns, name)
      const flag = findName(flags, name)
      if (column) return tUsers(`column.${column}`)
      if (flag) return tUsers(`flag.${flag}`)
      return name === 'access_level' ? tPeople('form.access_level') : defaultFormatter.formatField(name)
    },
    formatValue(name, value) {
      const text = String(value)
      const title = name === 'title' && findName(titles, text)
      const level = name === 'access_level' && findName(levels, text)
      const status = name === 'status' && findName(statuses, text)
      if (title) return tUsers(`titles.${title}`)
      if (level) return tPeople(`levels.${level}`)
      return status ? tUsers(`status.${status}`) : defaultFormatter.formatValue(name, value)
    },
  }
  return (table) => (table === 'users' ? userFormatter : defaultFormatter)
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Formats "5 minutes ago", "in 2 minutes", "just now". Both times are epoch ms by the clock of this device. */
export function useAgo(): (time: number, now: number) => string {
  const { t } = useTranslation('outbox')
  return (time, now) => {
    const unit = units.find(([, ms]) => Math.abs(time - now) >= ms)
    if (!unit) return t(time > now ? 'soon' : 'justNow')
    const format = new Intl.RelativeTimeFormat(getLanguage(), { numeric: 'auto' })
    return format.format(Math.round((time - now) / unit[1]), unit[0])
  }
}
