/** An entry in words: its type, what it was about, who did it, and the values of its fields. All of it is text, never markup. */
import { useTranslation } from 'react-i18next'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import { type Named, nameOf, operationOf, valueName } from '#features/audit-trail/list/entry-names.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'

export type Fact = readonly [label: string, value: string]

export function useEntryWords() {
  const { t } = useTranslation('audit')
  const factOf = (key: string, value: unknown, entry: Pick<Named, 'code'>): Fact => {
    const known = nameOf('info', key)
    return [known ? t(`info.${known}`) : key, key === 'problem' ? refusal(value) : namedValueOf(key, value, entry)]
  }
  const valueOf = (value: unknown): string => {
    if (value === null || value === undefined) return t('entry.nothing')
    if (value === '') return t('entry.empty')
    if (typeof value === 'boolean') return t(value ? 'entry.yes' : 'entry.no')
    if (typeof value !== 'object') return String(value)
    if (!Array.isArray(value)) return JSON.stringify(value, null, 2)
    if (value.length === 0) return t('entry.empty')
    const plain = value.every((one) => typeof one !== 'object' || one === null)
    return plain ? value.map(valueOf).join(', ') : JSON.stringify(value, null, 2)
  }
  /** Of a field that has names for its values, the name. */
  const namedValueOf = (field: string, value: unknown, entry: Pick<Named, 'code'>): string => {
    const known = valueName(field, value, entry)
    return known ? t(`value.${known}` as 'value.title.0') : valueOf(value)
  }
  const refusal = (code: unknown) =>
    problemWords({ status: 0, code: String(code), message: '', data: null, requestId: null })
  return {
    valueOf,
    typeOf: ({ code }: Pick<AuditEntryRow, 'code'>) => t(`type.${code}`),
    operationOf: ({ operation }: Pick<AuditEntryRow, 'operation'>) => {
      const known = operationOf(operation)
      return known ? t(`operation.${known}`) : operation
    },
    statusOf: ({ status }: Pick<AuditEntryRow, 'status'>) => t(status === -1 ? 'status.failed' : 'status.done'),
    whoOf: ({
      exec_user_name: name,
      by_provider: staff,
      info,
    }: Pick<AuditEntryRow, 'exec_user_name' | 'by_provider' | 'info'>) =>
      name !== '' ? name : info['By'] === 'schedule' ? t('value.By.schedule') : t(staff ? 'staff' : 'nobody'),
    /** A part of a price list is named by its way: the field, and where in it. */
    fieldOf: (field: string) => {
      const [first = '', ...rest] = field.split('.')
      const known = nameOf('field', first)
      return [known ? t(`field.${known}`) : first, ...rest].join(' › ')
    },
    namedValueOf,
    /** All that is known of what it was about, the most telling first. */
    factsOf: ({ code, info }: Named): Fact[] =>
      inOrder({ code, info }).map(([key, value]) => factOf(key, value, { code })),
    /** In one line: what it was done to alone, and the rest with its name. The own company goes without saying. */
    aboutOf: ({ code, info }: Named): string => {
      const shown = inOrder({ code, info }).filter(([key]) => !quiet.has(key))
      const facts = shown.length > 1 ? shown.filter(([key]) => key !== 'CompanyName' || code === 'company') : shown
      return facts
        .map(([key, value]) => (mains[code]?.includes(key) ? valueOf(value) : factOf(key, value, { code }).join(': ')))
        .join(' · ')
    },
  }
}

export type EntryWords = ReturnType<typeof useEntryWords>

/** What an entry of that type names first, without saying what it is. */
const mains: Partial<Record<AuditEntryRow['code'], readonly string[]>> = {
  company: ['CompanyName'],
  user: ['UserName'],
  order: ['ServiceCode'],
  service: ['ServiceCode'],
  backup: ['ServiceCode'],
  price: ['PriceEffDate', 'PriceDesc'],
  module: ['ModuleCode'],
  automodule: ['ModuleCode'],
  app: ['AppCode'],
}

/** Numbers that only a page needs, and why something failed, which the entry itself says. */
const quiet = new Set(['UserId', 'OrderId', 'path'])

function inOrder({ code, info }: Named): [string, unknown][] {
  const first = mains[code] ?? []
  const placeOf = (key: string) => (first.includes(key) ? first.indexOf(key) : first.length)
  return Object.entries(info).toSorted(([a], [b]) => placeOf(a) - placeOf(b))
}
