/** A waiting write in words: what is done to whom, and which field goes from what to what. */
import type { ReceiptView } from '#local/outbox/receipts.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
import { find } from '#ui/i18n/i18n.ts'
import { useTranslation } from 'react-i18next'

const acts = [
  'createUser',
  'deleteUser',
  'sendActivationMail',
  'disableUser',
  'enableUser',
  'createOrder',
  'deleteOrder',
  'setAlertDate',
  'createPriceList',
  'deletePriceList',
  'createModule',
  'deleteModule',
  'uploadAsset',
] as const
const tables = ['users', 'companies', 'orders', 'price_lists', 'modules'] as const
/** More of them are counted, not named. */
const namedAtMost = 3

const among = <T extends string>(names: readonly T[], name: string): T | undefined => names.find((one) => one === name)

export interface Change {
  field: string
  /** Undefined: the form did not say what it was based on. */
  from: unknown
  to: unknown
}

export const changesIn = ({ input: asked, base }: Pick<EntryView, 'input' | 'base'>): Change[] =>
  Object.entries((asked.body as object | undefined) ?? {})
    // Names the row, and changes nothing of it.
    .filter(([field]) => field !== 'id')
    .map(([field, to]) => ({ field, from: base?.[field], to }))

/** Whether it only does something to a row: disables it, deletes it. Nothing in it can be mended. */
export const isMove = ({ input: asked }: Pick<EntryView, 'input'>) => asked.body === undefined

/** What is spoken of, by the name it had before this write: who renames Ada has changed Ada. */
export type Named = Pick<EntryView, 'endpoint' | 'action' | 'table'> & { name: string | null }

/** Sentences that name a write: the same one in its entry, in dialogs, in links to it. */
export function useSentences() {
  const { t } = useTranslation('outbox')
  const fields = useFieldWords()
  const nameOf = ({ name, table }: Named): string => {
    if (name === null) return t(`some.${among(tables, table) ?? 'other'}`)
    return table === 'price_lists' ? t('priceList', { name }) : name
  }
  const plain = (named: Named): string => {
    const act = among(acts, named.endpoint)
    const name = nameOf(named)
    // These say themselves what it is.
    if (act) return t(`what.${act}`, { name: named.name ?? name })
    return t(`what.${named.action === 'change' ? 'edit' : named.action}`, { name })
  }
  const callText = (endpoint: string, name: string | null | undefined): string => {
    const call = find('outbox', `call.${endpoint}`) ?? t('call.other')
    return name ? t('named', { call, name }) : call
  }
  function whatOf(entry: Omit<Named, 'name'> & Pick<EntryView, 'input' | 'base'>, name: string | null): string {
    const named = { ...entry, name }
    const names = changesIn(entry).map((change) => fields(entry.table).field(change.field))
    if (entry.action !== 'change' || among(acts, entry.endpoint) || names.length === 0) return plain(named)
    if (names.length > namedAtMost) return t('what.changeMany', { count: names.length, name: nameOf(named) })
    return t('what.change', { fields: inOneBreath(names), name: nameOf(named) })
  }
  return {
    nameOf,
    /** "Change title and name of Ada Wong". */
    whatOf,
    /** Of a write that is gone. */
    whatWas: (told: ReceiptView): string =>
      isCall(told)
        ? callText(told.endpoint, told.name)
        : told.values
          ? whatOf({ ...told, ...told.values }, told.name)
          : plain(told),
    callText,
  }
}

/** Never queued, so about no row of a list. */
const isCall = ({ table, endpoint }: ReceiptView) => table === '' && endpoint !== 'uploadAsset'

const language = () => document.documentElement.lang || 'en'

/** As they stand inside a sentence: "title and e-mail". */
function inOneBreath(fields: string[]): string {
  const small = fields.map((field) => (/^.[A-Z]/.test(field) ? field : field.charAt(0).toLowerCase() + field.slice(1)))
  return new Intl.ListFormat(language(), { type: 'conjunction' }).format(small)
}

const titles = ['0', '1', '2'] as const
const levels = ['0', '1', '2', '3', '100'] as const
const statuses = ['1', '0', '-1', '-2'] as const
const columns = ['name', 'email', 'title', 'status'] as const
const flags = ['admin', 'order', 'alert'] as const
const others = [
  'name',
  'email',
  'status',
  'avatar',
  'language',
  'country',
  'province',
  'city',
  'addr1',
  'addr2',
  'addr3',
  'tel',
  'website',
  'tax_number',
  'code',
  'desc',
  'currency',
  'user_mode',
  'users',
  'modules',
  'uat',
  'client_type',
  'period',
  'period_start',
  'alert_date',
  'type',
  'effective_date',
  'confirmed',
  'hidden',
  'dependencies',
  'conditions',
  'any_condition',
  'apps',
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

export interface FieldWords {
  field: (name: string) => string
  value: (name: string, value: unknown) => string
}

/** Names and values as the person knows them from the forms of that table; a field without words keeps its own name. */
export function useFieldWords(): (table: string) => FieldWords {
  const { t } = useTranslation('outbox')
  const { t: users } = useTranslation('users')
  const { t: people } = useTranslation('people')
  const settingsText = (values: object): string =>
    Object.entries(values)
      .map(([name, value]) => t('setting', { name: plain.field(name), value: plain.value(name, value) }))
      .join(t('and'))
  /** An app of a module with what it is told: "acc (beta: yes)". */
  const itemText = (item: unknown): string => {
    if (typeof item !== 'object' || item === null) return String(item)
    const { code, flag } = item as { code?: unknown; flag?: object }
    if (typeof code !== 'string') return settingsText(item)
    const settings = settingsText(flag ?? {})
    return settings === '' ? code : t('withSettings', { name: code, settings })
  }
  const plain: FieldWords = {
    field(name) {
      const [, plain = name, currency] = /^(.+)_(hkd|usd|rmb)$/.exec(name) ?? []
      const known = among(others, plain)
      const label = known ? t(`field.${known}`) : plain
      return currency ? `${label} ${currency.toUpperCase()}` : label
    },
    value(_name, value) {
      if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
      if (value === null || value === undefined || value === '') return t('nothing')
      if (Array.isArray(value)) return value.map(itemText).join(t('and')) || t('nothing')
      return typeof value === 'object' ? settingsText(value) : String(value)
    },
  }
  const ofUsers: FieldWords = {
    field(name) {
      const column = among(columns, name)
      const flag = among(flags, name)
      if (column) return users(`column.${column}`)
      if (flag) return users(`flag.${flag}`)
      return name === 'access_level' ? people('form.access_level') : plain.field(name)
    },
    value(name, value) {
      const text = String(value)
      const title = name === 'title' && among(titles, text)
      const level = name === 'access_level' && among(levels, text)
      const status = name === 'status' && among(statuses, text)
      if (title) return users(`titles.${title}`)
      if (level) return people(`levels.${level}`)
      return status ? users(`status.${status}`) : plain.value(name, value)
    },
  }
  return (table) => (table === 'users' ? ofUsers : plain)
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** "5 minutes ago", "in 2 minutes", "just now". By this device's clock, both in epoch ms. */
export function useAgo(): (at: number, now: number) => string {
  const { t } = useTranslation('outbox')
  return (at, now) => {
    const unit = units.find(([, ms]) => Math.abs(at - now) >= ms)
    if (!unit) return t(at > now ? 'soon' : 'justNow')
    const format = new Intl.RelativeTimeFormat(language(), { numeric: 'auto' })
    return format.format(Math.round((at - now) / unit[1]), unit[0])
  }
}
