/** A waiting write in words: what is done to whom, and which field goes from what to what. */
import type { ReceiptView } from '#local/outbox/receipts.ts'
import type { EntryView } from '#local/outbox/read-entries.ts'
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
const calls = [
  'pay',
  'changeContract',
  'deleteContract',
  'createService',
  'updateService',
  'rebootService',
  'configureService',
  'deleteService',
  'removeService',
  'resetServicePassword',
  'orderBackup',
  'publishApps',
  'uploadApp',
  'importPriceList',
  'uploadPriceList',
  'createUser',
  'updateCompanyUser',
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
  Object.entries((asked.body as object | undefined) ?? {}).map(([field, to]) => ({ field, from: base?.[field], to }))

/** Whether it only does something to a row: disables it, deletes it. Nothing in it can be mended. */
export const isMove = ({ input: asked }: Pick<EntryView, 'input'>) => asked.body === undefined

/** What is spoken of, by the name it had before this write: who renames Ada has changed Ada. */
export type Named = Pick<EntryView, 'endpoint' | 'action' | 'table'> & { name: string | null }

/** Sentences that name a write: the same one in its entry, in dialogs, in links to it. */
export function useSentences() {
  const { t } = useTranslation('outbox')
  const fields = useFieldWords()
  const nameOf = ({ name, table }: Named) => name ?? t(`some.${among(tables, table) ?? 'other'}`)
  const plain = (named: Named): string => {
    const act = among(acts, named.endpoint)
    const name = nameOf(named)
    if (act) return t(`what.${act}`, { name })
    return t(`what.${named.action === 'change' ? 'edit' : named.action}`, { name })
  }
  const call = (endpoint: string): string => t(`call.${among(calls, endpoint) ?? 'other'}`)
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
      isCall(told) ? call(told.endpoint) : told.values ? whatOf({ ...told, ...told.values }, told.name) : plain(told),
    call,
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
  const plain: FieldWords = {
    field(name) {
      const known = among(others, name)
      return known ? t(`field.${known}`) : name
    },
    value(_name, value) {
      if (typeof value === 'boolean') return t(value ? 'yes' : 'no')
      if (value === null || value === undefined || value === '') return t('nothing')
      return typeof value === 'object' ? JSON.stringify(value) : String(value)
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
