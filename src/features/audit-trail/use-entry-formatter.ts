/** An entry in words: its type, what it was about, who did it, and the values of its fields. All of it is text, never markup. */
import { useTranslation } from 'react-i18next'
import type { AuditEntryRow } from '#domain/audit-log/leaf.ts'
import type { UatBound } from '#domain/fees/annual.ts'
import { toFieldText, formatFilter, toValueText } from '#features/audit-trail/format-value.ts'
import { type AuditEntrySubject, findInfoKey, findOperation } from '#features/audit-trail/find-entry-key.ts'
import { findFieldLabel } from '#ui/i18n/field-labels.ts'
import { formatPriceFieldLabel } from '#ui/i18n/price-field-messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

type EntryFact = readonly [label: string, value: string]

export function useEntryFormatter() {
  const { t } = useTranslation('audit')
  const toFact = (key: string, value: unknown, entry: Pick<AuditEntrySubject, 'code'>): EntryFact => {
    const textKey = findInfoKey(key)
    const text = key === 'problem' ? formatRefusal(value) : formatFilter(t, key, value)
    return [textKey ? t(`info.${textKey}`) : key, text ?? formatFieldValue(key, value, entry)]
  }
  const formatValue = (value: unknown): string => toValueText(t, value)
  const formatFieldValue = (field: string, value: unknown, entry: Pick<AuditEntrySubject, 'code'>): string =>
    toFieldText(t, field, value, entry)
  const formatRefusal = (code: unknown) =>
    formatProblem({ status: 0, code: String(code), message: '', data: null, requestId: null })
  return {
    formatValue,
    formatType: ({ code }: Pick<AuditEntryRow, 'code'>) => t(`type.${code}`),
    formatOperation: ({ operation }: Pick<AuditEntryRow, 'operation'>) => {
      const knownOperation = findOperation(operation)
      return knownOperation ? t(`operation.${knownOperation}`) : operation
    },
    formatStatus: ({ status }: Pick<AuditEntryRow, 'status'>) => t(status === -1 ? 'status.failed' : 'status.done'),
    formatUser: ({
      exec_user_name: name,
      by_provider: isByStaff,
      info,
    }: Pick<AuditEntryRow, 'exec_user_name' | 'by_provider' | 'info'>) =>
      name !== '' ? name : info['By'] === 'schedule' ? t('value.By.schedule') : t(isByStaff ? 'staff' : 'nobody'),
    formatField: (field: string, { code }: Pick<AuditEntrySubject, 'code'>, uatBound: UatBound): string => {
      if (code === 'price') return formatPriceFieldLabel(field, uatBound)
      return findFieldLabel(field) ?? field
    },
    formatFieldValue,
    /** All that is known of what it was about, the most telling first. */
    listFacts: ({ code, info }: AuditEntrySubject): EntryFact[] =>
      sortInfo({ code, info }).map(([key, value]) => toFact(key, value, { code })),
    /** In one line: what it was done to alone, and the rest with its name. The own company goes without saying. */
    formatSubject: ({ code, info }: AuditEntrySubject): string => {
      const shownEntries = sortInfo({ code, info }).filter(([key]) => !hiddenKeys.has(key))
      const facts =
        shownEntries.length > 1
          ? shownEntries.filter(([key]) => key !== 'CompanyName' || code === 'company')
          : shownEntries
      return facts
        .map(([key, value]) =>
          mainKeys[code]?.includes(key) ? formatValue(value) : toFact(key, value, { code }).join(': '),
        )
        .join(' · ')
    },
  }
}

export type EntryFormatter = ReturnType<typeof useEntryFormatter>

/** What an entry of that type names first, without saying what it is. */
const mainKeys: Partial<Record<AuditEntryRow['code'], readonly string[]>> = {
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
const hiddenKeys = new Set(['UserId', 'OrderId', 'path'])

function sortInfo({ code, info }: AuditEntrySubject): [string, unknown][] {
  const firstKeys = mainKeys[code] ?? []
  const toPosition = (key: string) => (firstKeys.includes(key) ? firstKeys.indexOf(key) : firstKeys.length)
  return Object.entries(info).toSorted(([a], [b]) => toPosition(a) - toPosition(b))
}
