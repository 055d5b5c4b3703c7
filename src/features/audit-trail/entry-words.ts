/** An entry in words: its type, what it was about, who did it, and the values of its fields. All of it is text, never markup. */
import { useTranslation } from 'react-i18next'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import type { UatBound } from '#domain/fees/annual.ts'
import { fieldText, filterText, valueText } from '#features/audit-trail/value-text.ts'
import { type Named, nameOf, operationOf } from '#features/audit-trail/entry-names.ts'
import { priceFieldLabel } from '#ui/i18n/price-field-messages.ts'
import { problemWords } from '#ui/i18n/problem-messages.ts'

export type Fact = readonly [label: string, value: string]

export function useEntryWords() {
  const { t } = useTranslation('audit')
  const factOf = (key: string, value: unknown, entry: Pick<Named, 'code'>): Fact => {
    const known = nameOf('info', key)
    const text = key === 'problem' ? refusal(value) : filterText(t, key, value)
    return [known ? t(`info.${known}`) : key, text ?? namedValueOf(key, value, entry)]
  }
  const valueOf = (value: unknown): string => valueText(t, value)
  const namedValueOf = (field: string, value: unknown, entry: Pick<Named, 'code'>): string =>
    fieldText(t, field, value, entry)
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
    fieldOf: (field: string, { code }: Pick<Named, 'code'>, uatBound: UatBound): string => {
      if (code === 'price') return priceFieldLabel(field, uatBound)
      const known = nameOf('field', field)
      return known ? t(`field.${known}`) : field
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
